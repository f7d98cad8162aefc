// Two ways to do what all ranks must do alike, learnt by each and told to all: every kind of work
// has its own QuickestWay, and what a rank would do next fits into one word.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/quickest_way.hpp"

namespace tutti {

class VotedWays {
 public:
  static constexpr int kKinds = 16;

  // Local. The way this rank would go next, 0 or 1, as a bit for each kind.
  std::int64_t votes() const {
    std::int64_t bits = 0;
    for (std::size_t kind = 0; kind < known_.size(); ++kind)
      bits |= std::int64_t{known_[kind].next()} << kind;
    return bits;
  }

  // What these votes() say for one kind. REQUIRES: 0 <= kind < kKinds, here and below.
  static int voted(std::int64_t votes, int kind) { return static_cast<int>(votes >> kind & 1); }

  // Local. What it cost to go that way, in any unit that work of this kind shares.
  void went(int kind, int way, double cost) {
    known_[static_cast<std::size_t>(kind)].went(way, cost);
  }

 private:
  std::array<QuickestWay, kKinds> known_;
};

}  // namespace tutti
