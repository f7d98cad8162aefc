// Which of several ways to do the same thing is the quickest one here and now, learnt by doing. The
// others are tried again now and then, in turn, the less often the longer the best one has been the
// best and the slower they are; and soon where the best one has become slower.
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

  // What it cost to go that way, in any unit that all ways share. The first turn of each way does
  // not count: it makes what later ones use. REQUIRES: the `ways` of next().
  void went(int way, double cost_now, int ways = 2) {
    bool& warm = warm_[static_cast<std::size_t>(way)];
    if (!warm) {
      warm = true;
      return;
    }
    const int before = best(ways);
    learn(way, cost_now, way != before);
    if (way != before) last_trial_ = way;
    const int after = best(ways);
    if (after != before) {
      pause_ = kShortPause;
      until_trial_ = pause_;
      calm_cost_ = cost(after);
    } else if (way != before) {
      const int expensive =
          static_cast<int>(std::min(cost_now / cost(before) * kTurnsPerTrial, 1e6));
      pause_ = std::max(std::min(2 * pause_, kLongPause), expensive);
      until_trial_ = pause_;
      calm_cost_ = cost(before);
    } else if (cost(way) > kUneasy * calm_cost_) {
      pause_ = kShortPause;
      until_trial_ = 0;
    } else if (until_trial_ > 0) {
      --until_trial_;
    }
  }

 private:
  static constexpr double kMemory = 4;  // turns that a cost is the mean of, more or less
  static constexpr int kShortPause = 8;
  static constexpr int kLongPause = 256;
  static constexpr int kTurnsPerTrial = 32;  // for each turn's time that a trial takes

  static constexpr double kUneasy = 1.5;  // times what it cost at the last trial

  // One turn that was disturbed says little: none counts for more than twice what is known. A trial
  // that was quicker than what is known counts at once; if that was luck, the next turns show it.
  void learn(int way, double cost_now, bool trial) {
    double& known = cost_[static_cast<std::size_t>(way)];
    if (known < 0 || (trial && cost_now < known))
      known = cost_now;
    else
      known += (std::min(cost_now, 2 * known) - known) / kMemory;
  }

  double cost(int way) const { return cost_[static_cast<std::size_t>(way)]; }
  // The cheapest known one below `ways`; the first where none is known.
  int best(int ways) const {
    int found = 0;
    for (int way = 1; way < ways; ++way)
      if (cost(way) >= 0 && (cost(found) < 0 || cost(way) < cost(found))) found = way;
    return found;
  }

  std::array<double, kMostWays> cost_{-1, -1, -1, -1};  // negative: not known yet
  std::array<bool, kMostWays> warm_{};
  double calm_cost_ = 0;  // of the best way when another one was tried last
  int last_trial_ = 0;
  int pause_ = kShortPause;
  int until_trial_ = kShortPause;
};

}  // namespace tutti
