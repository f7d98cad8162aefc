#include "exec/converted.hpp"

#include <algorithm>
#include <vector>

#include "base/scratch.hpp"
#include "exec/alone.hpp"
#include "exec/collective.hpp"
#include "exec/collective_state.hpp"
#include "exec/ranks_talk.hpp"

namespace tutti {

namespace {

constexpr std::int64_t kAlonePiece = std::int64_t{4} << 20;
constexpr std::int64_t kCollectivePiece = std::int64_t{16} << 20;

// Goes through an access in pieces of whole elements that fit a buffer of file bytes.
class Pieces {
 public:
  Pieces(const ConvertedAccess& access, std::int64_t piece_bytes)
      : access_(&access), limit_(std::min(piece_bytes, access.file.bytes)) {}

  // Makes the buffer. A buffer that is refused shows as an error.
  Status prepare() {
    if (access_->file.bytes == 0) return {};
    total_ = access_->memory->elements().total();
    limit_ = std::max(limit_, access_->memory->elements().largest_file_bytes());
    buffer_ = allocate_buffer(limit_);
    if (!buffer_) return fail(ErrorKind::no_memory, "no memory to convert data in");
    return {};
  }

  // How often next() finds something.
  std::int64_t count() const {
    std::int64_t pieces = 0;
    for (ElementSpan at; at.file_bytes < total_.file_bytes; ++pieces) at = end_after(at);
    return pieces;
  }

  // Goes to the next piece; a written one is converted. Without a next piece bytes() is 0.
  Status next() {
    begin_ = end_;
    end_ = end_after(begin_);
    if (bytes() == 0 || access_->direction == Direction::read) return {};
    return access_->memory->write(begin_, end_, buffer_.get());
  }

  std::int64_t bytes() const { return end_.file_bytes - begin_.file_bytes; }

  Access plain() const {
    if (bytes() == 0) return {access_->direction, {}, {}};
    return {access_->direction,
            {access_->file.stream, access_->file.first + begin_.file_bytes, bytes()},
            {Pattern::run(bytes()), buffer_.get()}};
  }

  // Takes note of the bytes of this piece that were moved; read ones are converted. Nothing behind
  // a short piece counts.
  Status settle(std::int64_t moved_bytes) {
    if (short_ || bytes() == 0) return {};
    short_ = moved_bytes < bytes();
    moved_.file += moved_bytes;
    const ElementSpan whole =
        short_ ? access_->memory->elements().boundary_before(begin_.file_bytes + moved_bytes)
               : end_;
    moved_.memory = std::max(begin_.memory_bytes, whole.memory_bytes);
    if (access_->direction == Direction::write || whole.elements <= begin_.elements) return {};
    return access_->memory->read(begin_, whole, buffer_.get());
  }

  bool ended() const { return short_; }
  const ConvertedBytes& moved() const { return moved_; }

 private:
  ElementSpan end_after(const ElementSpan& begin) const {
    const std::int64_t reach = std::min(total_.file_bytes, begin.file_bytes + limit_);
    return reach == total_.file_bytes ? total_ : access_->memory->elements().boundary_before(reach);
  }

  const ConvertedAccess* access_;
  std::int64_t limit_;
  Buffer buffer_;
  ElementSpan total_;
  ElementSpan begin_;
  ElementSpan end_;
  ConvertedBytes moved_;
  bool short_ = false;
};

// An atomic access is one access.
std::int64_t piece_bytes(bool atomic, const ConvertedAccess& access, std::int64_t usual) {
  return atomic ? std::max(usual, access.file.bytes) : usual;
}

// Collective. The largest `pieces` of all ranks.
Result<std::int64_t> most_pieces(OpenFile& file, std::int64_t pieces, MpiCaller& caller) {
  const auto state = collective_state(file);
  if (!state) return tl::make_unexpected(state.error());
  RanksTalk talk(file, **state, caller);
  std::vector<std::int64_t> all(static_cast<std::size_t>(file.ranks));
  if (auto told = talk.exchange().tell_all(std::as_bytes(std::span(&pieces, 1)),
                                           reinterpret_cast<std::byte*>(all.data()));
      !told)
    return tl::make_unexpected(told.error());
  return *std::max_element(all.begin(), all.end());
}

}  // namespace

Result<ConvertedBytes> transfer_converted(OpenFile& file, const ConvertedAccess& access,
                                          const Hints& hints, bool atomic) {
  Pieces pieces(access, piece_bytes(atomic, access, kAlonePiece));
  if (auto ready = pieces.prepare(); !ready) return tl::make_unexpected(ready.error());
  while (!pieces.ended()) {
    if (auto converted = pieces.next(); !converted) return tl::make_unexpected(converted.error());
    if (pieces.bytes() == 0) break;
    const auto moved = transfer_alone(file, pieces.plain(), hints, atomic);
    if (!moved) return tl::make_unexpected(moved.error());
    if (auto settled = pieces.settle(*moved); !settled) return tl::make_unexpected(settled.error());
  }
  return pieces.moved();
}

Result<ConvertedBytes> transfer_converted_collective(OpenFile& file, const ConvertedAccess& access,
                                                     std::optional<Error> refusal,
                                                     MpiCaller& caller) {
  const ConvertedAccess nothing{access.direction, {}, nullptr};
  Pieces pieces(refusal ? nothing : access, piece_bytes(file.atomic, access, kCollectivePiece));
  if (auto ready = pieces.prepare(); !ready) refusal = ready.error();
  const auto rounds = most_pieces(file, refusal ? 1 : pieces.count(), caller);
  if (!rounds) return tl::make_unexpected(rounds.error());
  for (std::int64_t round = 0; round < std::max<std::int64_t>(*rounds, 1); ++round) {
    if (!refusal)
      if (auto converted = pieces.next(); !converted) refusal = converted.error();
    const auto moved = transfer_collective(
        file, refusal ? Access{access.direction, {}, {}} : pieces.plain(), refusal, caller);
    if (!moved) return tl::make_unexpected(moved.error());  // on every rank
    if (auto settled = pieces.settle(*moved); !settled) refusal = settled.error();
  }
  if (refusal) return tl::make_unexpected(*refusal);
  return pieces.moved();
}

}  // namespace tutti
