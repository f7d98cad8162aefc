#include "strategy/automatic.hpp"

#include <algorithm>

#include "strategy/call_shape.hpp"
#include "strategy/resonant.hpp"

namespace tutti {

namespace {

// From these mean piece sizes on an exchange gains nothing. Interleaved ranks get a higher bound:
// neighbours' pieces share pages, stripes and locks.
constexpr std::int64_t kLargePieceBytes = 64 << 10;
constexpr std::int64_t kLargeInterleavedPieceBytes = 1 << 20;
// Read from a page cache that all ranks share, pieces this long cost less than a detour by an
// owner.
constexpr std::int64_t kSharedCachePieceBytes = 8 << 10;
// So few requests of one rank cost less than agreeing on who makes them.
constexpr std::int64_t kFewPieces = 8;
// Pieces further apart than this on average: moving what lies between costs more than a request.
constexpr std::int64_t kSparsePitchBytes = 64 << 10;
constexpr std::int64_t kSparseFactor = 4;  // and at most 1 / kSparseFactor of the range asked for
// A call that spans fewer rows of stripes gives agents too little to access in a row.
constexpr std::int64_t kStripeRows = 4;

bool pieces_are_large(const CallShape& shape) {
  return shape.bytes / std::max<std::int64_t>(shape.pieces, 1) >=
         (shape.interleaved ? kLargeInterleavedPieceBytes : kLargePieceBytes);
}

// Ranks of one node that read long pieces from a page cache they share gain nothing by an owner.
bool page_cache_serves(const CallFacts& facts, const CallShape& shape) {
  const bool one_node =
      std::all_of(facts.ranks.begin(), facts.ranks.end(),
                  [&](const RankFacts& r) { return r.node == facts.ranks[0].node; });
  return facts.direction == Direction::read && facts.maps_reads && one_node &&
         shape.bytes / std::max<std::int64_t>(shape.pieces, 1) >= kSharedCachePieceBytes;
}

// Whether agents of I/O nodes serve the call better than owners of even parts of the file.
bool stripes_serve(const CallFacts& facts, const CallShape& shape) {
  const StripeLayout& layout = facts.layout;
  if (!accepts_resonant(facts) || !shape.interleaved) return false;
  if (std::ssize(facts.ranks) < layout.io_nodes) return false;
  return layout.unit_bytes <= facts.hints.cb_buffer_size / 2 &&
         shape.range.bytes / kStripeRows / layout.io_nodes >= layout.unit_bytes;
}

bool pieces_are_sparse(const CallShape& shape) {
  return shape.range.bytes / std::max<std::int64_t>(shape.pieces, 1) >= kSparsePitchBytes &&
         shape.range.bytes / kSparseFactor >= shape.bytes;
}

}  // namespace

std::string_view automatic_choice(const CallFacts& facts) {
  constexpr std::string_view kAlone = "independent";
  const CallShape shape = shape_of(facts);
  if (!shape.monotone || shape.bytes == 0) return kAlone;
  const std::string_view together = stripes_serve(facts, shape) ? "resonant" : "two-phase";
  if (const Toggle wish = buffering(facts); wish != Toggle::automatic)
    return wish == Toggle::enable ? together : kAlone;
  if (!shape.interleaved && shape.most_pieces <= kFewPieces) return kAlone;
  if (page_cache_serves(facts, shape)) return kAlone;
  return pieces_are_large(shape) || pieces_are_sparse(shape) ? kAlone : together;
}

}  // namespace tutti
