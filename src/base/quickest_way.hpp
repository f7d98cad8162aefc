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
    if (const int way = newest(ways); way != kNone) return way;
    const int now = best(ways);
    if (until_trial_ > 0 || ways == 1) return now;
    return trial(ways);
  }

  // What it cost to go that way, in any unit that all ways share. The first turn of each way does
  // not count: it makes what later ones use. REQUIRES: the `ways` of next().
  void went(int way, double cost_now, int ways = 2) {
    if (newest(ways) != kNone) return meet(way, cost_now, ways);
    const int before = best(ways);
    const double best_cost = cost(before);
    learn(way, cost_now);
    const int after = best(ways);
    if (after != before) {
      last_trial_ = way;
      pause_ = kShortPause;
      wait_for_trial(pause_, after);
    } else if (way != before) {
      // One trial that was quicker may have been luck; the same way is tried until that is clear.
      const bool again = cost_now < best_cost;
      if (!again) last_trial_ = way;
      const int expensive = turns_for(cost_now / best_cost, kTurnsPerLoss);
      pause_ = std::max(std::min(2 * pause_, kLongPause), expensive);
      wait_for_trial(again ? 0 : pause_, after);
    } else if (cost(way) > kUneasy * calm_cost_) {
      pause_ = kShortPause;
      wait_for_trial(std::min(until_trial_, turns_for(cost(trial(ways)) / cost(way), kTurnsUneasy)),
                     after);
    } else {
      calm_cost_ = std::min(calm_cost_, cost(way));
      if (until_trial_ > 0) --until_trial_;
    }
  }

 private:
  static constexpr int kNone = -1;
  static constexpr int kFirstTurns = 3;   // of each way, one that does not count and two that do
  static constexpr double kHopeless = 3;  // times the best cost: one that counts is enough
  static constexpr double kMemory = 4;    // turns that a cost is the mean of, more or less
  static constexpr int kShortPause = 8;
  static constexpr int kLongPause = 256;
  static constexpr int kTurnsPerLoss = 32;  // for each turn's time that a trial takes longer
  static constexpr int kTurnsUneasy = 20;   // likewise, where the best way has become slower
  static constexpr double kUneasy = 1.75;   // times what it cost before

  // The ways' first turns, one after the other, so that what disturbs them disturbs all. The
  // quicker one counts: what disturbs makes slower.
  void meet(int way, double cost_now, int ways) {
    const auto index = static_cast<std::size_t>(way);
    if (turns_[index] > 0) cost_[index] = cost(way) < 0 ? cost_now : std::min(cost(way), cost_now);
    turns_[index] = std::min(turns_[index] + 1, kFirstTurns);
    if (ways == 1 || newest(ways) != kNone) return;
    const double ratio = cost(trial(ways)) / cost(best(ways));
    wait_for_trial(std::max(kShortPause, turns_for(ratio, kTurnsPerLoss)), best(ways));
  }
  bool is_new(int way, int ways) const {
    return turns(way) < 2 ||
           (turns(way) < kFirstTurns && cost(way) <= kHopeless * cost(best(ways)));
  }
  // The one that has had the fewest turns of those that are new.
  int newest(int ways) const {
    int found = kNone;
    for (int way = 0; way < ways; ++way)
      if (is_new(way, ways) && (found == kNone || turns(way) < turns(found))) found = way;
    return found;
  }

  // One turn that was disturbed says little: none counts for more than twice what is known.
  void learn(int way, double cost_now) {
    double& known = cost_[static_cast<std::size_t>(way)];
    known += (std::min(cost_now, 2 * known) - known) / kMemory;
  }

  void wait_for_trial(int turns, int best_way) {
    until_trial_ = turns;
    calm_cost_ = cost(best_way);
  }
  // The turns between trials that cost `ratio` times as much as the best way.
  static int turns_for(double ratio, int turns_per_loss) {
    if (!(ratio > 1)) return 0;  // nor where nothing was measured to cost anything
    return static_cast<int>(std::min((ratio - 1) * turns_per_loss, 1e6));
  }
  // The next one to try besides the best.
  int trial(int ways) const {
    const int next = (last_trial_ + 1) % ways;
    return next == best(ways) ? (next + 1) % ways : next;
  }

  int turns(int way) const { return turns_[static_cast<std::size_t>(way)]; }
  double cost(int way) const { return cost_[static_cast<std::size_t>(way)]; }
  // The cheapest known one below `ways`; the first where none is known.
  int best(int ways) const {
    int found = 0;
    for (int way = 1; way < ways; ++way)
      if (cost(way) >= 0 && (cost(found) < 0 || cost(way) < cost(found))) found = way;
    return found;
  }

  std::array<double, kMostWays> cost_{-1, -1, -1, -1};  // negative: not known yet
  std::array<int, kMostWays> turns_{};                  // up to kFirstTurns
  double calm_cost_ = 0;  // of the best way, the least since another one was tried
  int last_trial_ = 0;
  int pause_ = kShortPause;
  int until_trial_ = kShortPause;
};

}  // namespace tutti
