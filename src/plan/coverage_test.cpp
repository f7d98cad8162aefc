#include "plan/coverage.hpp"

#include <set>

#include <gtest/gtest.h>

#include "pattern/blocks.hpp"
#include "plan/file_marks.hpp"
#include "support/accesses.hpp"
#include "support/run_plans.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

bool naive_covers(std::span<const FileRange> accesses, Extent window) {
  std::set<std::int64_t> bytes;
  for (const FileRange& access : accesses)
    for_each_byte(access, [&](std::int64_t, std::int64_t offset) { bytes.insert(offset); });
  for (std::int64_t at = window.offset; at < window.end(); ++at)
    if (!bytes.contains(at)) return false;
  return true;
}

TEST(Coverage, OverlapsDoNotHideAHole) {
  // Sizes add up to more than the window, and still byte 5 is nobody's.
  const Accesses accesses{whole(Pattern::run(5)), whole(Pattern::run(5)),
                          whole(Pattern::run(4, 6))};
  EXPECT_FALSE(union_covers(accesses, {0, 10}));
  EXPECT_TRUE(union_covers(accesses, {0, 5}));
  EXPECT_TRUE(union_covers(accesses, {6, 4}));
  EXPECT_TRUE(union_covers(accesses, {5, 0}));
  EXPECT_FALSE(union_covers(accesses, {5, 1}));
  EXPECT_FALSE(union_covers({}, {5, 1}));
}

TEST(Coverage, SumEqualsWindowButBytesDoNot) {
  const Accesses accesses{whole(Pattern::repeat(100, 4, Pattern::run(2))),
                          whole(Pattern::repeat(100, 4, Pattern::run(2, 1)))};
  EXPECT_FALSE(union_covers(accesses, {0, 400}));
}

TEST(Coverage, AgreesWithTheSetOfBytesForRandomCalls) {
  const std::uint64_t seed = test_seed("RandomCalls", 77'000'000);
  int covered = 0;
  for (int i = 0; i < 6000; ++i) {
    CallMaker maker(seed + static_cast<std::uint64_t>(i));
    const RandomCall call = maker.call(20);
    for (int window = 0; window < 3; ++window) {
      const Extent part{maker.below(300), maker.below(maker.chance(50) ? 30 : 1000)};
      const bool expected = naive_covers(call.accesses, part);
      covered += expected ? 1 : 0;
      ASSERT_EQ(union_covers(call.accesses, part), expected)
          << "call " << i << " window " << part.offset << ' ' << part.bytes;
    }
  }
  EXPECT_GT(covered, 1000);
}

// Strides that share a small, a large or no useful period; shifted heads; few and many copies.
TEST(Coverage, AgreesWithTheSetOfBytesForMixedPeriods) {
  const std::uint64_t seed = test_seed("MixedPeriods", 88'000'000);
  int covered = 0;
  for (int i = 0; i < 6000; ++i) {
    CallMaker maker(seed + static_cast<std::uint64_t>(i));
    const std::int64_t strides[] = {3, 4, 6, 7, 12, 24, 29};
    Accesses accesses;
    const bool dense = maker.chance(70);
    for (std::int64_t n = 1 + maker.below(6); n > 0; --n) {
      const std::int64_t stride = strides[maker.below(dense ? 3 : 7)];
      Pattern child = Pattern::run(1 + maker.below(stride));
      if (maker.chance(30) && stride > 6)
        child = Pattern::repeat(stride / 3, 3, Pattern::run(1 + maker.below(3)));
      Pattern stream = Pattern::repeat(1 + maker.below(60), stride, child).shifted(maker.below(9));
      if (maker.chance(30))
        stream = Pattern::repeat(1 + maker.below(5), stream.upper() + maker.below(3), stream);
      ASSERT_TRUE(stream.is_monotone());
      const std::int64_t first = maker.chance(50) ? 0 : maker.below(stream.size());
      accesses.push_back(
          {stream, first,
           maker.chance(50) ? stream.size() - first : maker.below(stream.size() - first + 1)});
    }
    const Extent part{maker.below(60), 1 + maker.below(maker.chance(50) ? 40 : 400)};
    const bool expected = naive_covers(accesses, part);
    covered += expected ? 1 : 0;
    ASSERT_EQ(union_covers(accesses, part), expected)
        << "call " << i << " window " << part.offset << ' ' << part.bytes;
  }
  EXPECT_GT(covered, 600);
  EXPECT_LT(covered, 5400);
}

TEST(Coverage, BlockCyclicIsJudgedByOnePeriod) {
  for (const std::int64_t ranks : {4, 16, 1000}) {
    const std::int64_t elements = 16'000'000 * ranks;
    const auto accesses = block_cyclic({.ranks = ranks,
                                        .elements = elements,
                                        .block = 1,
                                        .element_bytes = 4,
                                        .displacement = 100});
    CoverageWork work;
    EXPECT_TRUE(union_covers(accesses, {100, 4 * elements}, &work));
    EXPECT_TRUE(union_covers(accesses, {1 << 20, 16 << 20}, &work));
    EXPECT_EQ(work.runs, 0);
    EXPECT_LE(work.regions, 12 * ranks);
    EXPECT_FALSE(union_covers(accesses, {100, 4 * elements + 1}, &work));
    EXPECT_FALSE(union_covers(accesses, {99, 4 * elements}, &work));
    const auto but_one = std::span(accesses).subspan(1);
    EXPECT_FALSE(union_covers(but_one, {100, 4 * elements}, &work));
    EXPECT_EQ(work.runs, 0);
  }
}

TEST(Coverage, LatticeIsJudgedByItsRows) {
  const std::int64_t full[] = {64, 64, 64, 64};
  const std::int64_t sizes[] = {32, 32, 32, 32};
  Accesses accesses;
  for (int corner = 0; corner < 16; ++corner) {
    const std::int64_t starts[] = {corner / 8 * 32, corner / 4 % 2 * 32, corner / 2 % 2 * 32,
                                   corner % 2 * 32};
    accesses.push_back(whole(subarray({full, sizes, starts}, Pattern::run(8), 8)));
  }
  const std::int64_t bytes = 64LL * 64 * 64 * 64 * 8;
  CoverageWork work;
  EXPECT_TRUE(union_covers(accesses, {0, bytes}, &work));
  EXPECT_TRUE(union_covers(accesses, {bytes / 3, 8 << 20}, &work));
  EXPECT_EQ(work.runs, 0);
  EXPECT_LE(work.regions, 3000);
  accesses[5] = {accesses[5].stream, 0, accesses[5].bytes - 1};
  EXPECT_FALSE(union_covers(accesses, {0, bytes}, &work));
}

TEST(Coverage, IrregularListsCostTheirPieces) {
  CallMaker maker(test_seed("IrregularLists", 9));
  std::vector<std::vector<Extent>> runs(4);
  constexpr std::int64_t kPieces = 400'000;
  for (std::int64_t i = 0; i < kPieces; ++i)
    runs[static_cast<std::size_t>(maker.below(4))].push_back({i * 8, 8});
  Accesses accesses;
  for (const auto& list : runs) accesses.push_back(whole(Pattern::tuples(list)));
  CoverageWork work;
  EXPECT_TRUE(union_covers(accesses, {0, kPieces * 8}, &work));
  EXPECT_GT(work.runs, kPieces / 4);
  EXPECT_LE(work.runs, kPieces + 100);
  // One piece replaced by a copy of its neighbour: the sum is the same.
  for (auto& list : runs)
    for (Extent& run : list)
      if (run.offset == (kPieces / 2) * 8) run.offset += 4;
  accesses.clear();
  for (const auto& list : runs) accesses.push_back(whole(Pattern::tuples(list)));
  EXPECT_FALSE(union_covers(accesses, {0, kPieces * 8}));
}

TEST(Coverage, EndlessViewsOfManyTerabytes) {
  Accesses accesses;
  for (std::int64_t rank = 0; rank < 3; ++rank)
    accesses.push_back({Pattern::tiled(Pattern::run(7, rank * 7), 21), 0, std::int64_t{7} << 42});
  CoverageWork work;
  EXPECT_TRUE(union_covers(accesses, {0, std::int64_t{21} << 42}, &work));
  EXPECT_EQ(work.runs, 0);
  EXPECT_FALSE(union_covers(accesses, {1, std::int64_t{21} << 42}));
}

TEST(FileMarks, MarksExactlyWhatItIsTold) {
  std::mt19937_64 random(test_seed("MarksExactly", 3));
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t bytes = 1 + static_cast<std::int64_t>(random() % 300);
    FileMarks marks;
    marks.reset({1000, bytes});
    std::vector<bool> expected(static_cast<std::size_t>(bytes));
    for (int n = 0; n < 6; ++n) {
      const auto begin = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bytes));
      const auto length =
          1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bytes - begin));
      marks.mark(1000 + begin, length);
      for (std::int64_t at = begin; at < begin + length; ++at)
        expected[static_cast<std::size_t>(at)] = true;
      const bool all = std::find(expected.begin(), expected.end(), false) == expected.end();
      ASSERT_EQ(marks.all_marked(), all);
    }
  }
}

}  // namespace
}  // namespace tutti::test
