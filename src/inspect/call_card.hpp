// What every rank tells all others at the start of a collective call: a few words, always.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "base/extent.hpp"
#include "layout/placement_table.hpp"
#include "pattern/pattern.hpp"

namespace tutti {

struct CallCard {
  // The plan this rank would reuse.
  std::int64_t entry = 0;
  std::int64_t shift = 0;
  std::int64_t any_shift = 0;
  // Where peers on the same node find this rank's bytes: valid when `direct` is set.
  std::uint64_t memory_address = 0;
  std::int64_t direct = 0;
  std::int64_t carrying_votes = 0;  // CollectiveState::carrying
  double came_at = 0;               // wall_seconds() on this rank's node
  std::int64_t refused = 0;         // this rank cannot take part
  std::int64_t file_bytes = 0;      // reads: where the file ends for this rank
  std::int64_t maps_reads = 0;      // this rank can read the file through a mapping
  // What this rank's device says of itself.
  std::int64_t server_cache = 0;
  std::int64_t nonblocking = 0;
  std::int64_t single_reads = 0;
  std::int64_t any_order = 0;
  LayoutPrint layout{};  // what this rank knows of the file's striping
  // The access itself, for planning.
  std::int64_t reading = 0;
  std::int64_t first = 0;
  std::int64_t bytes = 0;
  std::int64_t lower = 0;
  std::int64_t upper = 0;
  std::int64_t pieces = 0;
  std::int64_t monotone = 1;
  Fingerprint shape{};      // of the stream without its origin
  std::int64_t origin = 0;  // of the stream
  std::int64_t descriptor_bytes = 0;
};
static_assert(std::is_trivially_copyable_v<CallCard>);

// Whether the bytes of some rank are packed before they are sent or fetched.
inline bool anybody_is_staged(std::span<const CallCard> cards) {
  return std::any_of(cards.begin(), cards.end(),
                     [](const CallCard& card) { return card.bytes > 0 && card.direct == 0; });
}

// From the first byte of the file that any rank accesses to the last; empty where none does.
inline Extent accessed_range(std::span<const CallCard> cards) {
  std::int64_t lower = std::numeric_limits<std::int64_t>::max();
  std::int64_t upper = 0;
  for (const CallCard& card : cards) {
    if (card.bytes <= 0) continue;
    lower = std::min(lower, card.lower);
    upper = std::max(upper, card.upper);
  }
  return lower < upper ? Extent{lower, upper - lower} : Extent{};
}

}  // namespace tutti
