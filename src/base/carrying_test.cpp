#include "base/carrying.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

constexpr CarryingKind kPlain{};
constexpr CarryingKind kStaged{.staged = true};
constexpr CarryingKind kKept{.keeps_pages = true};
constexpr CarryingKind kRead{.reading = true};

CarryingWay next(const Carrying& carrying, CarryingKind kind) {
  return Carrying::voted(carrying.votes(), kind);
}

// Calls of one kind, each as its vote says; how many of them went the other way.
int other_way(Carrying& carrying, CarryingKind kind, int calls, double usual, double other) {
  int count = 0;
  for (int i = 0; i < calls; ++i) {
    const CarryingWay way = next(carrying, kind);
    carrying.went(kind, way, way == kOther ? other : usual);
    if (way == kOther) ++count;
  }
  return count;
}

TEST(Carrying, TriesBothWaysAndKeepsToTheQuickerOne) {
  Carrying other_wins;
  EXPECT_EQ(next(other_wins, kPlain), kUsual);
  EXPECT_GE(other_way(other_wins, kPlain, 100, 2.0, 1.0), 90);
  Carrying usual_wins;
  EXPECT_LE(other_way(usual_wins, kPlain, 100, 1.0, 2.0), 10);
}

TEST(Carrying, TheFirstCallOfAWayDoesNotCount) {
  Carrying carrying;
  carrying.went(kPlain, kUsual, 1.0);  // warm
  carrying.went(kPlain, kUsual, 1.0);
  ASSERT_EQ(next(carrying, kPlain), kOther);
  carrying.went(kPlain, kOther, 100.0);  // makes the arena
  EXPECT_EQ(next(carrying, kPlain), kOther);
  carrying.went(kPlain, kOther, 0.5);
  EXPECT_EQ(next(carrying, kPlain), kOther);
}

TEST(Carrying, KindsOfCallsLearnApart) {
  Carrying carrying;
  other_way(carrying, kStaged, 20, 2.0, 1.0);
  other_way(carrying, kKept, 20, 1.0, 2.0);
  EXPECT_EQ(next(carrying, kStaged), kOther);
  EXPECT_EQ(next(carrying, kKept), kUsual);
  EXPECT_EQ(next(carrying, kPlain), kUsual);
  EXPECT_EQ(next(carrying, kRead), kUsual);
}

}  // namespace
}  // namespace tutti
