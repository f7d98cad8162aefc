#include "pattern/interleave.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "pattern/blocks.hpp"
#include "pattern/copy_kernels.hpp"
#include "pattern/copy_kernels_inline.hpp"

namespace tutti {

namespace pattern_detail {

namespace {

// The whole runs at equal distance that start at stream byte k, or the rest of one run.
// REQUIRES: k < end <= node.size.
Block block_at(const Node* node, std::int64_t at, std::int64_t k, std::int64_t end) {
  while (true) {
    switch (node->kind) {
      case Node::Kind::run:
        return {at + k, end - k, 1, 0};
      case Node::Kind::repeat: {
        const Node* child = node->children[0].get();
        const std::int64_t i = k / child->size;
        at += i * node->stride;
        k -= i * child->size;
        end -= i * child->size;
        if (child->kind == Node::Kind::run && k == 0 && end >= child->size)
          return {at, child->size, end / child->size, node->stride};
        end = std::min(end, child->size);
        node = child;
        break;
      }
      case Node::Kind::sequence: {
        const auto found = std::upper_bound(node->prefix.begin(), node->prefix.end(), k);
        const auto i = static_cast<std::size_t>(found - node->prefix.begin() - 1);
        at += node->displacements[i];
        k -= node->prefix[i];
        end = std::min(end, node->prefix[i + 1]) - node->prefix[i];
        if (node->leaf_runs()) return {at + k, end - k, 1, 0};
        node = node->child_of(i);
        break;
      }
    }
  }
}

// What is left to copy of one source or sink.
struct Stream {
  const Pattern* pattern = nullptr;
  std::int64_t next = 0;
  std::int64_t end = 0;
  std::byte* packed = nullptr;  // where stream byte `next` goes or comes from
  Block block{};                // the runs that start there

  std::int64_t offset() const { return block.offset; }
  bool done() const { return next >= end; }

  void find_block() {
    if (!done()) block = block_at(pattern->node(), pattern->origin(), next, end);
  }
  void skip_runs(std::int64_t runs) {
    next += runs * block.bytes;
    packed += runs * block.bytes;
    block.offset += runs * block.stride;
    block.count -= runs;
    if (block.count == 0) find_block();
  }
  void skip_bytes(std::int64_t bytes) {
    next += bytes;
    packed += bytes;
    find_block();
  }
};

// Copies window part after window part: as one weave where all streams repeat alike, otherwise
// stream by stream within a part that stays in cache. Streams are in the order of the sources, so
// that the last one wins in every part. REQUIRES: monotone patterns.
template <bool kPack>
class Loom {
 public:
  Loom(const CopyKernels& kernels, std::vector<Stream> streams, std::byte* base)
      : kernels_(kernels), streams_(std::move(streams)), base_(base) {}

  void copy_all() {
    int peels = 0;
    while (drop_finished(), streams_.size() > 1) {
      if (weave()) {
        peels = 0;
        continue;
      }
      const std::int64_t level = peel_level();
      if (peels < 2 && level <= lowest() + kPeel) {
        copy_below(level);
        ++peels;
      } else {
        copy_part();
        peels = 0;
      }
    }
    if (!streams_.empty()) copy_range(streams_[0], streams_[0].end);
  }

 private:
  static constexpr std::int64_t kNowhere = std::numeric_limits<std::int64_t>::max() / 2;
  static constexpr std::int64_t kFar = std::int64_t{1} << 40;
  static constexpr std::int64_t kPeel = 64 << 10;
  static constexpr std::int64_t kLeastWeave = 2 << 10;  // bytes that pay for finding the weave
  static constexpr std::int64_t kLeastPart = 16 << 10;  // bytes that pay for cutting a part
  static constexpr std::int64_t kMostPart = 128 << 10;

  void drop_finished() {
    std::erase_if(streams_, [](const Stream& stream) { return stream.done(); });
  }
  std::int64_t lowest() const {
    return std::ranges::min_element(streams_, {}, &Stream::offset)->offset();
  }
  // Streams may start, and go on after the end of a row, some periods apart. Returns where the
  // first one comes to a long row, or else where the last one is.
  std::int64_t peel_level() const {
    constexpr std::int64_t kLongRow = 8;
    std::int64_t level = kNowhere;
    for (const Stream& stream : streams_)
      if (stream.block.count >= kLongRow) level = std::min(level, stream.offset());
    if (level == kNowhere || level == lowest())
      level = std::ranges::max_element(streams_, {}, &Stream::offset)->offset();
    return level;
  }

  void copy_range(Stream& stream, std::int64_t to) {
    if (to <= stream.next) return;
    const StreamRange range{*stream.pattern, stream.next, to};
    if constexpr (kPack)
      pack_with(kernels_, range, base_, stream.packed);
    else
      unpack_with(kernels_, range, base_, stream.packed);
    stream.skip_bytes(to - stream.next);
  }

  // The runs of the stream's block that end below `level`; false where there are none.
  bool copy_block_below(Stream& stream, std::int64_t level) {
    const Block& block = stream.block;
    const std::int64_t room = level - block.offset - block.bytes;
    if (room < 0 || (block.count > 1 && block.stride <= 0)) return false;
    const std::int64_t runs = block.count == 1 ? 1 : std::min(block.count, room / block.stride + 1);
    const Plane plane{.bytes = block.bytes, .count = runs, .stride = block.stride};
    if constexpr (kPack)
      kernels_.gather(plane, address(base_, block.offset), stream.packed);
    else
      kernels_.scatter(plane, stream.packed, address(base_, block.offset));
    stream.skip_runs(runs);
    return true;
  }

  std::int64_t copy_below(std::int64_t level) {
    std::int64_t moved = 0;
    for (Stream& stream : streams_) {
      const std::int64_t before = stream.next;
      // The ends of two regular rows need no search in the pattern; what is longer pays for it.
      for (int i = 0; i < 2 && !stream.done() && stream.offset() < level; ++i)
        if (!copy_block_below(stream, level)) break;
      if (!stream.done() && stream.offset() < level)
        copy_range(stream, std::min(stream.pattern->bytes_below(level), stream.end));
      moved += stream.next - before;
    }
    return moved;
  }

  void copy_part() {
    const std::int64_t moved = copy_below(lowest() + part_);
    if (moved < kLeastPart && part_ < kFar)
      part_ *= 2;
    else if (moved > kMostPart && part_ > kMostPart)
      part_ /= 2;
  }

  // Copies the periods that lie ahead of all streams, if there are enough of them.
  bool weave() {
    if (streams_.size() < 2) return false;
    const std::int64_t start = lowest();
    Weave weave;
    weave.periods = kNowhere;
    std::int64_t bound = kNowhere;
    // The stream that starts lowest tells what the others have to look like.
    for (const Stream& stream : streams_) {
      if (stream.offset() != start) continue;
      weave.bytes = stream.block.bytes;
      weave.stride = stream.block.stride;
    }
    if (weave.stride < weave.bytes) return false;
    lanes_.clear();
    for (const Stream& stream : streams_) {
      if (stream.offset() - start >= weave.stride) {
        bound = std::min(bound, stream.offset());
        continue;
      }
      const Block& block = stream.block;
      if (block.bytes != weave.bytes || block.stride != weave.stride) return false;
      weave.periods = std::min(weave.periods, block.count);
      lanes_.push_back({stream.offset() - start, stream.packed});
    }
    weave.periods = std::min(weave.periods, (bound - start) / weave.stride);
    const std::int64_t lane_bytes = weave.periods * weave.bytes;
    if (lane_bytes * static_cast<std::int64_t>(lanes_.size()) < kLeastWeave ||
        !lanes_disjoint(weave))
      return false;
    weave.lanes = lanes_;
    if constexpr (kPack)
      kernels_.deinterleave(weave, address(base_, start));
    else
      kernels_.interleave(weave, address(base_, start));
    for (Stream& stream : streams_)
      if (stream.offset() - start < weave.stride) stream.skip_runs(weave.periods);
    return true;
  }

  // Puts lanes in order of their slots.
  bool lanes_disjoint(const Weave& weave) {
    if (!std::ranges::is_sorted(lanes_, {}, &Lane::slot))
      std::ranges::sort(lanes_, {}, &Lane::slot);
    for (std::size_t i = 1; i < lanes_.size(); ++i)
      if (lanes_[i].slot - lanes_[i - 1].slot < weave.bytes) return false;
    return lanes_.back().slot + weave.bytes <= weave.stride;
  }

  const CopyKernels& kernels_;
  std::vector<Stream> streams_;
  std::vector<Lane> lanes_;
  std::byte* base_;  // only read when packing
  std::int64_t part_ = kMostPart;
};

// REQUIRES: Each is Source or Sink.
template <bool kPack, class Each>
void copy_many(const CopyKernels& kernels, std::span<const Each> all, std::byte* base) {
  const bool monotone =
      std::ranges::all_of(all, [](const Each& each) { return each.pattern->is_monotone(); });
  std::vector<Stream> streams;
  streams.reserve(all.size());
  for (const Each& each : all) {
    if (each.begin >= each.end) continue;
    auto* packed = const_cast<std::byte*>(each.packed);
    if (monotone)
      streams.push_back({each.pattern, each.begin, each.end, packed, {}});
    else if constexpr (kPack)
      pack_with(kernels, {*each.pattern, each.begin, each.end}, base, packed);
    else
      unpack_with(kernels, {*each.pattern, each.begin, each.end}, base, packed);
  }
  for (Stream& stream : streams) stream.find_block();
  Loom<kPack>(kernels, std::move(streams), base).copy_all();
}

}  // namespace

void unpack_many_with(const CopyKernels& kernels, std::span<const Source> sources,
                      std::byte* window_base) {
  copy_many<false>(kernels, sources, window_base);
}

void pack_many_with(const CopyKernels& kernels, std::span<const Sink> sinks,
                    const std::byte* window_base) {
  copy_many<true>(kernels, sinks, const_cast<std::byte*>(window_base));
}

}  // namespace pattern_detail

void unpack_many(std::span<const Source> sources, std::byte* window_base) {
  pattern_detail::unpack_many_with(pattern_detail::copy_kernels(), sources, window_base);
}

void pack_many(std::span<const Sink> sinks, const std::byte* window_base) {
  pattern_detail::pack_many_with(pattern_detail::copy_kernels(), sinks, window_base);
}

}  // namespace tutti
