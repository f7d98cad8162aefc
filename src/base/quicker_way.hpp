// Which of two ways to do the same thing is the quicker one here and now, learnt by doing. The
// other way is tried again now and then, the less often the longer it has been the slower one and
// the slower it is.
#pragma once

#include <algorithm>
#include <array>

namespace tutti {

class QuickerWay {
 public:
  enum Way { kFirst = 0, kSecond = 1 };

  // The way to go next.
  Way next() const {
    if (cost_[kFirst] < 0) return kFirst;
    if (cost_[kSecond] < 0 || until_trial_ == 0) return other(best());
    return best();
  }

  // What it cost to go that way, in any unit that both ways share.
  void went(Way way, double cost) {
    const Way before = best();
    // One turn that was disturbed says little: no turn counts for more than twice what is known.
    double& known = cost_[way];
    known = known < 0 ? cost : known + (std::min(cost, 2 * known) - known) / kMemory;
    if (best() != before) {
      pause_ = kShortPause;
      until_trial_ = pause_;
    } else if (way != before) {
      const int expensive = static_cast<int>(std::min(cost / cost_[before] * kTurnsPerTrial, 1e6));
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

  static Way other(Way way) { return way == kFirst ? kSecond : kFirst; }
  Way best() const {
    return cost_[kSecond] >= 0 && cost_[kSecond] < cost_[kFirst] ? kSecond : kFirst;
  }

  std::array<double, 2> cost_{-1, -1};  // negative: not known yet
  int pause_ = kShortPause;
  int until_trial_ = kShortPause;
};

}  // namespace tutti
