#include "plan/plan_cache.hpp"

#include <gtest/gtest.h>

#include "support/random_pattern.hpp"

namespace tutti {
namespace {

std::vector<std::int64_t> bytes_of(const FileRange& range) {
  std::vector<std::int64_t> bytes;
  for (std::int64_t k = 0; k < range.bytes; ++k)
    bytes.push_back(range.stream.offset_of(range.first + k));
  return bytes;
}

TEST(ShiftBetween, IsRightWheneverItAnswers) {
  int answered = 0;
  for (int seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE(seed);
    testing::PatternMaker maker(seed);
    const Pattern tile = maker.ascending(2).pattern;
    if (tile.empty()) continue;
    const Pattern stream = Pattern::tiled(tile, tile.upper() + maker.below(5));
    const std::int64_t bytes = 1 + maker.below(40);
    const FileRange then{stream.shifted(maker.below(20)), maker.below(60), bytes};
    const FileRange now{stream.shifted(maker.below(20)), maker.below(60),
                        maker.chance(90) ? bytes : bytes + 1};
    const auto shift = shift_between(then, now);
    if (!shift) continue;
    ++answered;
    std::vector<std::int64_t> moved = bytes_of(then);
    for (std::int64_t& offset : moved) offset += *shift;
    ASSERT_EQ(moved, bytes_of(now));
  }
  EXPECT_GT(answered, 1500);  // the property is not vacuous
}

TEST(ShiftBetween, ACheckpointLoopMatchesItself) {
  const Pattern vector = Pattern::tiled(Pattern::repeat(64, 16, Pattern::run(4)).shifted(4), 1024);
  EXPECT_EQ(shift_between({vector, 0, 256}, {vector, 256, 256}), 1024);
  EXPECT_EQ(shift_between({vector, 0, 256}, {vector.shifted(5000), 0, 256}), 5000);
  EXPECT_EQ(shift_between({vector, 0, 256}, {vector, 2, 256}), std::nullopt);
  const Pattern other = Pattern::tiled(Pattern::repeat(64, 16, Pattern::run(8)), 1024);
  EXPECT_EQ(shift_between({vector, 0, 256}, {other, 0, 256}), std::nullopt);
}

TEST(PlanCache, EvictsTheLeastRecentlyUsed) {
  PlanCache<int> cache(2);
  const auto range = [](std::int64_t bytes) { return FileRange{Pattern::run(1000), 0, bytes}; };
  EXPECT_EQ(cache.insert(Direction::write, range(10), std::make_shared<int>(1)), 0);
  EXPECT_EQ(cache.insert(Direction::write, range(20), std::make_shared<int>(2)), 0);
  ASSERT_NE(cache.use(1), nullptr);
  EXPECT_EQ(cache.insert(Direction::write, range(30), std::make_shared<int>(3)), 1);
  EXPECT_EQ(cache.use(2), nullptr);
  EXPECT_EQ(*cache.use(1), 1);
  EXPECT_EQ(cache.propose(Direction::write, range(10)).entry, 1);
  EXPECT_EQ(cache.propose(Direction::read, range(10)).entry, 0);
  EXPECT_EQ(cache.propose(Direction::write, range(20)).entry, 0);
}

TEST(PlanCache, KeepsTheStripePhase) {
  PlanCache<int> cache(4);
  const auto at = [](std::int64_t offset) {
    return FileRange{Pattern::run(8).shifted(offset), 0, 8};
  };
  cache.insert(Direction::write, at(0), std::make_shared<int>(1));
  EXPECT_EQ(cache.propose(Direction::write, at(12)).shift, 12);
  EXPECT_EQ(cache.propose(Direction::write, at(12), 64).entry, 0);
  EXPECT_EQ(cache.propose(Direction::write, at(128), 64).shift, 128);
  EXPECT_EQ(cache.propose(Direction::write, at(128), 0).entry, 0);
  EXPECT_EQ(cache.propose(Direction::write, at(0), 0).entry, 1);
  cache.insert(Direction::write, at(12), std::make_shared<int>(2));
  EXPECT_EQ(cache.propose(Direction::write, at(0), 0).entry, 1) << "an older entry fits";
  EXPECT_EQ(cache.propose(Direction::write, at(76), 64).entry, 2);
}

TEST(PlanCache, RanksWithoutBytesGoAlong) {
  PlanCache<int> cache(4);
  const FileRange nothing{Pattern(), 0, 0};
  cache.insert(Direction::write, nothing, std::make_shared<int>(1));
  const auto proposal = cache.propose(Direction::write, nothing);
  EXPECT_EQ(proposal.entry, 1);
  EXPECT_TRUE(proposal.any_shift);
  EXPECT_EQ(cache.propose(Direction::write, {Pattern::run(8), 0, 8}).entry, 0);
}

}  // namespace
}  // namespace tutti
