#include "base/carrying.hpp"

#include <gtest/gtest.h>

namespace tutti {
namespace {

constexpr CarryingKind kPlain{};
constexpr CarryingKind kStaged{.staged = true};
constexpr CarryingKind kKept{.keeps_pages = true};

CarryingWay next(const Carrying& carrying, CarryingKind kind) {
  return Carrying::voted(carrying.votes(), kind);
}

// Calls of one kind, each as its vote says; how many of them went by the arena.
int by_arena(Carrying& carrying, CarryingKind kind, int calls, double fetched, double arena) {
  int count = 0;
  for (int i = 0; i < calls; ++i) {
    const CarryingWay way = next(carrying, kind);
    carrying.went(kind, way, way == kByArena ? arena : fetched);
    if (way == kByArena) ++count;
  }
  return count;
}

TEST(Carrying, TriesBothWaysAndKeepsToTheQuickerOne) {
  Carrying arena_wins;
  EXPECT_EQ(next(arena_wins, kPlain), kFetched);
  EXPECT_GE(by_arena(arena_wins, kPlain, 100, 2.0, 1.0), 90);
  Carrying fetching_wins;
  EXPECT_LE(by_arena(fetching_wins, kPlain, 100, 1.0, 2.0), 10);
}

TEST(Carrying, KindsOfCallsLearnApart) {
  Carrying carrying;
  by_arena(carrying, kStaged, 20, 2.0, 1.0);
  by_arena(carrying, kKept, 20, 1.0, 2.0);
  EXPECT_EQ(next(carrying, kStaged), kByArena);
  EXPECT_EQ(next(carrying, kKept), kFetched);
  EXPECT_EQ(next(carrying, kPlain), kFetched);
}

}  // namespace
}  // namespace tutti
