// Which of several ways to do the same thing is the quickest one here and now, learnt by doing. The
// others are tried again now and then, in turn, the less often the longer the best one has been the
// best and the slower they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tutti {

class QuickestWay {
 public:
  static constexpr int kMostWays = 4;

  // The way to go next, of those below `ways`. REQUIRES: 1 <= ways <= kMostWays.
  int next(int ways = 2) const {
    for (int way = 0; way < ways; ++way)
      if (cost(way) < 0) return way;
    const int now = best(ways);
    if (until_trial_ > 0 || ways == 1) return now;
    int trial = (last_trial_ + 1) % ways;
    if (trial == now) trial = (trial + 1) % ways;
    return trial;
  }

  // What it cost to go that way, in any unit that all ways share. REQUIRES: the `ways` of next().
  void went(int way, double cost_now, int ways = 2) {
    const int before = best(ways);
    // One turn that was disturbed says little: no turn counts for more than twice what is known.
    double& known = cost_[static_cast<std::size_t>(way)];
    known = known < 0 ? cost_now : known + (std::min(cost_now, 2 * known) - known) / kMemory;
    if (way != before) last_trial_ = way;
    if (best(ways) != before) {
      pause_ = kShortPause;
      until_trial_ = pause_;
    } else if (way != before) {
      const int expensive =
          static_cast<int>(std::min(cost_now / cost(before) * kTurnsPerTrial, 1e6));
      pause_ = std::max(std::min(2 * pause_, kLongPause), expensive);
      until_trial_ = pause_;
    } else if (until_trial_ > 0) {
      --until_trial_;
    }
  }

 private:
  static constexpr double kMemory = 4;  // turns that a cost is the mean of, more or less
  static constexpr int kShortPause = 8;
  static constexpr int kLongPause = 256;
  static constexpr int kTurnsPerTrial = 32;  // for each turn's time that a trial takes

  double cost(int way) const { return cost_[static_cast<std::size_t>(way)]; }
  // The cheapest known one below `ways`; the first where none is known.
  int best(int ways) const {
    int found = 0;
    for (int way = 1; way < ways; ++way)
      if (cost(way) >= 0 && (cost(found) < 0 || cost(way) < cost(found))) found = way;
    return found;
  }

  std::array<double, kMostWays> cost_{-1, -1, -1, -1};  // negative: not known yet
  int last_trial_ = 0;
  int pause_ = kShortPause;
  int until_trial_ = kShortPause;
};

}  // namespace tutti
