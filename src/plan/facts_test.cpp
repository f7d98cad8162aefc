#include "plan/facts.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "pattern/shapes.hpp"
#include "support/random_pattern.hpp"

namespace tutti {
namespace {

TEST(Facts, OfAVector) {
  const FileRange range{Pattern::repeat(1000, 16, Pattern::run(4, 100)), 0, 4000};
  const RankFacts facts = facts_of(range);
  EXPECT_EQ(facts.lower, 100);
  EXPECT_EQ(facts.upper, 100 + 999 * 16 + 4);
  EXPECT_EQ(facts.bytes, 4000);
  EXPECT_EQ(facts.pieces, 1000);
  EXPECT_TRUE(facts.monotone);
}

TEST(Facts, OfAPartOfAnEndlessView) {
  const Pattern stream = Pattern::tiled(Pattern::run(8, 24), 64);
  const RankFacts facts = facts_of({stream, 80, 800});
  EXPECT_EQ(facts.lower, 10 * 64 + 24);
  EXPECT_EQ(facts.upper, 109 * 64 + 24 + 8);
  EXPECT_EQ(facts.pieces, 100);
  const RankFacts contiguous = facts_of({Pattern::tiled(Pattern::run(1), 1), 1'000'000, 4096});
  EXPECT_EQ(contiguous.lower, 1'000'000);
  EXPECT_EQ(contiguous.upper, 1'004'096);
  EXPECT_EQ(contiguous.pieces, 1);
}

TEST(Facts, InsideOneRunIsOnePiece) {
  const Pattern stream = Pattern::repeat(1'000'000, 4096, Pattern::run(2048));
  EXPECT_EQ(facts_of({stream, 2048 * 7 + 5, 100}).pieces, 1);
}

TEST(Facts, OfNothing) {
  EXPECT_EQ(facts_of({}), RankFacts{});
  EXPECT_EQ(facts_of({Pattern::repeat(3, -4, Pattern::run(2)), 2, 0}), RankFacts{});
}

TEST(Facts, AgreeWithTheListOfBytes) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    SCOPED_TRACE(seed);
    testing::PatternMaker maker(seed);
    const auto made = maker.chance(50) ? maker.any(3) : maker.ascending(3);
    if (made.pattern.empty()) continue;
    const std::int64_t first = maker.below(made.pattern.size());
    const std::int64_t bytes = 1 + maker.below(made.pattern.size() - first);
    const RankFacts facts = facts_of({made.pattern, first, bytes});
    const auto begin = made.bytes.begin() + first;
    EXPECT_EQ(facts.lower, *std::min_element(begin, begin + bytes));
    EXPECT_EQ(facts.upper, *std::max_element(begin, begin + bytes) + 1);
    EXPECT_EQ(facts.bytes, bytes);
    EXPECT_EQ(facts.monotone, made.pattern.is_monotone());
    EXPECT_GE(facts.pieces, 1);
    EXPECT_LE(facts.pieces, bytes);
  }
}

}  // namespace
}  // namespace tutti
