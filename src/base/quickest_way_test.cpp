#include "base/quickest_way.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

// Goes `turns` turns at these costs; how many of them went the second way.
int seconds_of(QuickestWay& ways, int turns, double first, double second) {
  int count = 0;
  for (int i = 0; i < turns; ++i) {
    const auto way = ways.next();
    count += way == 1 ? 1 : 0;
    ways.went(way, way == 0 ? first : second);
  }
  return count;
}

// Goes one turn; it must be this way's.
void expect_turn(QuickestWay& ways, int way, double cost) {
  EXPECT_EQ(ways.next(), way);
  ways.went(way, cost);
}

TEST(QuickestWay, BothAreTriedInTurnAtOnceAndThenCount) {
  QuickestWay ways;
  for (int i = 0; i < 3; ++i)
    for (const int way : {0, 1}) expect_turn(ways, way, 1);
}

TEST(QuickestWay, TheFirstTurnOfAWayDoesNotCount) {
  QuickestWay ways;
  expect_turn(ways, 0, 1);
  expect_turn(ways, 1, 100);
  for (int i = 0; i < 2; ++i) {
    expect_turn(ways, 0, 1);
    expect_turn(ways, 1, 0.5);
  }
  EXPECT_EQ(ways.next(), 1);
}

TEST(QuickestWay, OneDisturbedTurnAtTheBeginningDoesNotTurnIt) {
  QuickestWay ways;
  for (const int way : {0, 1}) expect_turn(ways, way, 1);
  expect_turn(ways, 0, 1);
  expect_turn(ways, 1, 1.8);
  expect_turn(ways, 0, 1);
  expect_turn(ways, 1, 0.7);
  for (int i = 0; i < 8; ++i) expect_turn(ways, 1, 0.7);
}

TEST(QuickestWay, AHopelessOneIsNotTriedTwice) {
  QuickestWay ways;
  for (const int way : {0, 1, 0}) expect_turn(ways, way, 1);
  expect_turn(ways, 1, 20);
  for (int i = 0; i < 9; ++i) expect_turn(ways, 0, 1);
}

TEST(QuickestWay, TheSlowerOneIsHardlyEverTaken) {
  QuickestWay ways;
  EXPECT_LE(seconds_of(ways, 1000, 1, 3), 10);
  QuickestWay turned;
  EXPECT_GE(seconds_of(turned, 1000, 3, 1), 990);
}

TEST(QuickestWay, AnExpensiveTrialIsRare) {
  QuickestWay ways;
  EXPECT_LE(seconds_of(ways, 10'000, 1, 100), 5);
}

TEST(QuickestWay, FindsOutWhenTheOtherBecomesQuicker) {
  QuickestWay ways;
  seconds_of(ways, 1000, 1, 3);
  EXPECT_GE(seconds_of(ways, 1000, 3, 1), 900);  // what is in use is seen at once
  QuickestWay improved;
  seconds_of(improved, 1000, 2, 3);
  EXPECT_GE(seconds_of(improved, 4000, 2, 1), 1500);  // what is not, at a trial
}

TEST(QuickestWay, AllAreTriedSoonWhereTheBestBecomesSlower) {
  QuickestWay ways;
  seconds_of(ways, 1000, 1, 4);
  EXPECT_GE(seconds_of(ways, 200, 3, 2), 150);  // both have changed, one of them unseen
  EXPECT_LE(seconds_of(ways, 100, 1, 4), 20);
}

TEST(QuickestWay, WhereBothBecomeSlowerTheBetterOneIsKept) {
  QuickestWay ways;
  seconds_of(ways, 1000, 1, 4);
  EXPECT_LE(seconds_of(ways, 100, 3, 12), 3);
}

// Turns of two sorts, one of them four times the work; the first way is quicker by a third in both.
TEST(QuickestWay, CostsThatAreNotAlikeDoNotTurnIt) {
  for (const int run : {1, 3}) {
    QuickestWay ways;
    int second = 0;
    for (int i = 0; i < 4000; ++i) {
      const double work = i / run % 2 == 0 ? 1 : 4;
      const int way = ways.next();
      second += way;
      ways.went(way, way == 0 ? work : 1.5 * work);
    }
    EXPECT_LE(second, 200) << "runs of " << run;
  }
}

// Every tenth turn or so, by a fixed sequence, takes three times as long.
TEST(QuickestWay, DisturbedTurnsCauseFewExpensiveTrials) {
  QuickestWay ways;
  int second = 0;
  std::uint32_t random = 1;
  for (int i = 0; i < 20'000; ++i) {
    random = random * 1664525U + 1013904223U;
    const double disturbed = (random >> 16) % 10 == 0 ? 3 : 1;
    const int way = ways.next();
    second += way;
    ways.went(way, (way == 0 ? 1 : 100) * disturbed);
  }
  EXPECT_LE(second, 16);
}

TEST(QuickestWay, ALuckyTrialDoesNotTurnItForLong) {
  QuickestWay ways;
  seconds_of(ways, 100, 1, 2);
  ways.went(1, 0.5);
  EXPECT_LE(seconds_of(ways, 100, 1, 2), 10);
}

TEST(QuickestWay, OneOutlierDoesNotTurnItForLong) {
  QuickestWay ways;
  seconds_of(ways, 100, 1, 1.5);
  ways.went(0, 50);
  EXPECT_LE(seconds_of(ways, 200, 1, 1.5), 60);
}

TEST(QuickestWay, TheBestOfFourIsFoundWhereverItIs) {
  for (int best = 0; best < 4; ++best) {
    QuickestWay ways;
    int taken = 0;
    for (int i = 0; i < 1000; ++i) {
      const int way = ways.next(4);
      taken += way == best ? 1 : 0;
      ways.went(way, way == best ? 1 : 2, 4);
    }
    EXPECT_GE(taken, 980) << best;
  }
}

TEST(QuickestWay, OnlyWaysThatAreOpenAreTaken) {
  QuickestWay ways;
  for (int i = 0; i < 100; ++i) {
    const int way = ways.next(4);
    ways.went(way, way == 3 ? 1 : 2, 4);
  }
  for (int i = 0; i < 100; ++i) EXPECT_LT(ways.next(2), 2);
}

TEST(QuickestWay, WhereFewerAreOpenTheBestOfThoseIsKept) {
  QuickestWay ways;
  for (int i = 0; i < 100; ++i) {
    const int way = ways.next(4);
    ways.went(way, way == 3 ? 1 : 5, 4);
  }
  int second = 0;
  for (int i = 0; i < 1000; ++i) {
    const int way = ways.next(2);
    second += way;
    ways.went(way, way == 1 ? 2 : 5, 2);
  }
  EXPECT_GE(second, 900);
}

}  // namespace
}  // namespace tutti
