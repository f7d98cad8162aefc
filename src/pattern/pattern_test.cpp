#include "pattern/pattern.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "pattern/blocks.hpp"
#include "support/random_pattern.hpp"

namespace tutti {
namespace {

using testing::PatternMaker;
using testing::RandomPattern;

constexpr int kRounds = 20'000;

std::vector<std::int64_t> bytes_of(const Pattern& pattern, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> bytes;
  for_each_run(pattern, begin, end, [&](Extent run) {
    for (std::int64_t i = 0; i < run.bytes; ++i) bytes.push_back(run.offset + i);
    return true;
  });
  return bytes;
}

std::vector<std::int64_t> bytes_of(const Pattern& pattern) {
  return bytes_of(pattern, 0, pattern.size());
}

TEST(Pattern, AgreesWithTheListOfItsBytes) {
  for (int seed = 0; seed < kRounds; ++seed) {
    SCOPED_TRACE(seed);
    PatternMaker maker(seed);
    const RandomPattern made = maker.any(3);
    const auto& bytes = made.bytes;
    ASSERT_EQ(bytes_of(made.pattern), bytes);
    ASSERT_EQ(made.pattern.size(), std::ssize(bytes));
    if (bytes.empty()) continue;
    EXPECT_EQ(made.pattern.first(), bytes.front());
    EXPECT_EQ(made.pattern.lower(), *std::min_element(bytes.begin(), bytes.end()));
    EXPECT_EQ(made.pattern.upper(), *std::max_element(bytes.begin(), bytes.end()) + 1);
    const bool ascending =
        std::adjacent_find(bytes.begin(), bytes.end(), std::greater_equal<>()) == bytes.end();
    EXPECT_EQ(made.pattern.is_monotone(), ascending);
    EXPECT_EQ(made.pattern.is_ordered() || !ascending, true);
    for (std::size_t k = 0; k < bytes.size(); ++k)
      ASSERT_EQ(made.pattern.offset_of(k), bytes[k]) << "byte " << k;
    EXPECT_EQ(made.pattern.offset_of(std::ssize(bytes)), bytes.back() + 1);
  }
}

TEST(Pattern, RankIsTheInverseOfSelect) {
  for (int seed = 0; seed < kRounds; ++seed) {
    SCOPED_TRACE(seed);
    PatternMaker maker(seed);
    const RandomPattern made = maker.ascending(3);
    ASSERT_TRUE(made.pattern.is_monotone());
    std::int64_t below = 0;
    for (std::int64_t offset = -2; offset < made.pattern.upper() + 3; ++offset) {
      ASSERT_EQ(made.pattern.bytes_below(offset), below) << "offset " << offset;
      if (std::binary_search(made.bytes.begin(), made.bytes.end(), offset)) ++below;
    }
    const std::int64_t from = maker.below(made.pattern.upper() + 2);
    const std::int64_t length = maker.below(9);
    bool all = true;
    for (std::int64_t i = from; i < from + length; ++i)
      all = all && std::binary_search(made.bytes.begin(), made.bytes.end(), i);
    EXPECT_EQ(made.pattern.covers({from, length}), all);
  }
}

TEST(Pattern, SlicesAndPartialWalksAgree) {
  for (int seed = 0; seed < kRounds; ++seed) {
    SCOPED_TRACE(seed);
    PatternMaker maker(seed);
    const RandomPattern made = maker.any(3);
    const std::int64_t begin = maker.below(made.pattern.size() + 1);
    const std::int64_t end = begin + maker.below(made.pattern.size() - begin + 1);
    const std::vector<std::int64_t> expected(made.bytes.begin() + begin, made.bytes.begin() + end);
    ASSERT_EQ(bytes_of(made.pattern, begin, end), expected);
    ASSERT_EQ(bytes_of(made.pattern.slice(begin, end)), expected);
  }
}

TEST(Pattern, TilesRepeatWithoutEnd) {
  const Pattern vector = Pattern::repeat(3, 16, Pattern::run(4)).shifted(4);
  const Pattern view = Pattern::tiled(vector, 64);
  EXPECT_EQ(view.offset_of(0), 4);
  EXPECT_EQ(view.offset_of(12), 68);
  const std::int64_t far = std::int64_t{1} << 40;
  EXPECT_EQ(view.offset_of(12 * far + 5), far * 64 + 4 + 16 + 1);
  EXPECT_EQ(view.bytes_below(far * 64), 12 * far);
  EXPECT_TRUE(Pattern::tiled(Pattern::run(8), 8).is_contiguous());
  EXPECT_TRUE(Pattern::tiled(Pattern(), 8).empty());
  EXPECT_FALSE(Pattern::tiled(vector, 20).is_monotone());
}

TEST(NormalForm, RegularListsBecomeRepetitions) {
  std::vector<Extent> runs;
  for (std::int64_t i = 0; i < 1'000'000; ++i) runs.push_back({i * 12, 4});
  EXPECT_EQ(Pattern::tuples(runs), Pattern::repeat(1'000'000, 12, Pattern::run(4)));

  runs.clear();  // a three-dimensional box, spelled out, two elements in the innermost row
  for (int z = 0; z < 5; ++z)
    for (int y = 0; y < 7; ++y)
      for (int x = 0; x < 2; ++x) runs.push_back({1000 * z + 100 * y + 8 * x, 4});
  const Pattern row = Pattern::repeat(2, 8, Pattern::run(4));
  EXPECT_EQ(Pattern::tuples(runs), Pattern::repeat(5, 1000, Pattern::repeat(7, 100, row)));
}

TEST(NormalForm, EqualSpellingsAreEqual) {
  EXPECT_EQ(Pattern::repeat(10, 4, Pattern::run(4)), Pattern::run(40));
  EXPECT_EQ(Pattern::repeat(1, 99, Pattern::run(4)), Pattern::run(4));
  EXPECT_EQ(Pattern::repeat(3, 40, Pattern::repeat(5, 8, Pattern::run(2))),
            Pattern::repeat(15, 8, Pattern::run(2)));
  const Extent touching[] = {{0, 4}, {4, 4}, {8, 0}, {8, 2}};
  EXPECT_EQ(Pattern::tuples(touching), Pattern::run(10));
  const Pattern::Placed placed[] = {{5, Pattern::run(3)}, {8, Pattern::run(4)}};
  EXPECT_EQ(Pattern::sequence(placed), Pattern::run(7, 5));
  EXPECT_NE(Pattern::run(4, 1), Pattern::run(4, 2));
  EXPECT_NE(Pattern::run(4, 1).fingerprint(), Pattern::run(4, 2).fingerprint());
}

TEST(NormalForm, IrregularListsStayCompact) {
  std::mt19937_64 random(7);
  std::vector<Extent> runs;
  std::int64_t at = 0;
  for (int i = 0; i < 10'000; ++i) {
    runs.push_back({at, 8});
    at += 9 + static_cast<std::int64_t>(random() % 1000);
  }
  const Pattern pattern = Pattern::tuples(runs);
  EXPECT_EQ(pattern.run_count(), 10'000);
  EXPECT_TRUE(pattern.node()->leaf_runs());
}

TEST(Pattern, LargeCountsDoNotOverflow) {
  const std::int64_t blocks = std::int64_t{1} << 33;
  const Pattern pattern = Pattern::repeat(blocks, 24, Pattern::run(4));
  EXPECT_EQ(pattern.size(), blocks * 4);
  EXPECT_EQ(pattern.offset_of(pattern.size() - 1), (blocks - 1) * 24 + 3);
  EXPECT_EQ(pattern.bytes_below((blocks - 1) * 24 + 2), (blocks - 1) * 4 + 2);
}

}  // namespace
}  // namespace tutti
