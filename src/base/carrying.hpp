// How bytes that are written get to their owners on one node: owners fetch them from the memory of
// other ranks, or ranks put them into the arena. Which is quicker depends on what the system
// charges for reaching into another process, and is learnt by doing. All ranks go the way that rank
// 0 votes for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/quickest_way.hpp"

namespace tutti {

enum CarryingWay : int { kFetched = 0, kByArena = 1 };

// Calls that are told apart, because what is quicker for one is not for the other.
struct CarryingKind {
  bool staged = false;       // the memory of some rank is not contiguous
  bool keeps_pages = false;  // see SeenPages::keeps()
};

class Carrying {
 public:
  // A call with fewer bytes, of all ranks, says nothing about how to carry many: they are fetched.
  static constexpr std::int64_t kLeastBytes = 1 << 20;

  // Local. The way this rank votes for, as a bit for each kind of call.
  std::int64_t votes() const {
    std::int64_t bits = 0;
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (known_[i].next() == kByArena) bits |= std::int64_t{1} << i;
    return bits;
  }

  // The way that `votes` says for calls of `kind`.
  static CarryingWay voted(std::int64_t votes, CarryingKind kind) {
    return (votes >> index(kind) & 1) != 0 ? kByArena : kFetched;
  }

  // Local. What a call that went that way cost, in any unit for a byte.
  void went(CarryingKind kind, CarryingWay way, double cost) {
    known_[index(kind)].went(way, cost);
  }

 private:
  static std::size_t index(CarryingKind kind) {
    return (kind.staged ? 1U : 0U) + (kind.keeps_pages ? 2U : 0U);
  }

  std::array<QuickestWay, 4> known_;
};

}  // namespace tutti
