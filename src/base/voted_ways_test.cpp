#include "base/voted_ways.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

int next(const VotedWays& ways, int kind) { return VotedWays::voted(ways.votes(), kind); }

// Turns of one kind, each as voted; how many of them went the second way.
int seconds_of(VotedWays& ways, int kind, int turns, double first, double second) {
  int count = 0;
  for (int i = 0; i < turns; ++i) {
    const int way = next(ways, kind);
    ways.went(kind, way, way == 0 ? first : second);
    count += way;
  }
  return count;
}

TEST(VotedWays, TriesBothAndKeepsToTheQuickerOne) {
  VotedWays second_wins;
  EXPECT_EQ(next(second_wins, 0), 0);
  EXPECT_GE(seconds_of(second_wins, 0, 100, 2, 1), 90);
  VotedWays first_wins;
  EXPECT_LE(seconds_of(first_wins, 0, 100, 1, 2), 10);
}

TEST(VotedWays, KindsLearnApart) {
  VotedWays ways;
  for (int kind = 0; kind < VotedWays::kKinds; ++kind)
    seconds_of(ways, kind, 20, kind % 3 == 0 ? 2 : 1, kind % 3 == 0 ? 1 : 2);
  for (int kind = 0; kind < VotedWays::kKinds; ++kind)
    EXPECT_EQ(next(ways, kind), kind % 3 == 0 ? 1 : 0) << kind;
}

}  // namespace
}  // namespace tutti
