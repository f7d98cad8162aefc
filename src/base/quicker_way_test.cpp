#include "base/quicker_way.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

// Goes `turns` turns at these costs; how many of them went the second way.
int seconds_of(QuickerWay& ways, int turns, double first, double second) {
  int count = 0;
  for (int i = 0; i < turns; ++i) {
    const auto way = ways.next();
    count += way == QuickerWay::kSecond ? 1 : 0;
    ways.went(way, way == QuickerWay::kFirst ? first : second);
  }
  return count;
}

TEST(QuickerWay, BothAreTriedAtOnce) {
  QuickerWay ways;
  EXPECT_EQ(seconds_of(ways, 2, 1, 1), 1);
}

TEST(QuickerWay, TheSlowerOneIsHardlyEverTaken) {
  QuickerWay ways;
  EXPECT_LE(seconds_of(ways, 1000, 1, 3), 10);
  QuickerWay turned;
  EXPECT_GE(seconds_of(turned, 1000, 3, 1), 990);
}

TEST(QuickerWay, AnExpensiveTrialIsRare) {
  QuickerWay ways;
  EXPECT_LE(seconds_of(ways, 10'000, 1, 100), 5);
}

TEST(QuickerWay, FindsOutWhenTheOtherBecomesQuicker) {
  QuickerWay ways;
  seconds_of(ways, 1000, 1, 3);
  EXPECT_GE(seconds_of(ways, 1000, 3, 1), 900);  // what is in use is seen at once
  QuickerWay improved;
  seconds_of(improved, 1000, 2, 3);
  EXPECT_GE(seconds_of(improved, 4000, 2, 1), 1500);  // what is not, at a trial
}

TEST(QuickerWay, OneOutlierDoesNotTurnItForLong) {
  QuickerWay ways;
  seconds_of(ways, 100, 1, 1.5);
  ways.went(QuickerWay::kFirst, 50);
  EXPECT_LE(seconds_of(ways, 200, 1, 1.5), 60);
}

}  // namespace
}  // namespace tutti
