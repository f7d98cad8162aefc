// Descriptors from formulas: properties 1 to 3, equation 6, and their number.
#include "strategy/inplace_regular.hpp"

#include <gtest/gtest.h>

namespace tutti::inplace {
namespace {

const Tuples& sent(const InplacePlan& plan, std::size_t phase) {
  static const Tuples nothing;
  for (const Exchange& exchange : plan.phases[phase]) {
    if (exchange.peer == partners(plan.rank, static_cast<int>(phase), plan.ranks).target) {
      return exchange.send;
    }
  }
  return nothing;
}

TEST(InplaceRegular, WorkedExampleOfRank0) {
  const InplacePlan plan = *inspect_regular({16, 4, 1}, 0);
  EXPECT_EQ(sent(plan, 0), (Tuples{{2, 2}}));
  EXPECT_EQ(sent(plan, 1), (Tuples{{1, 1}, {5, 1}}));
  EXPECT_EQ(plan.pack, (Repeats{{{{0, 1}, {4, 1}, {6, 2}}, 1, 0}}));
  EXPECT_EQ(plan.file, (Tuples{{0, 4}}));
  EXPECT_EQ(plan.region.elements, 8);
  EXPECT_EQ(plan.region.elements - plan.region.own_elements, 4);
}

TEST(InplaceRegular, PartnersOfRank0InTheWorkedExample) {
  EXPECT_EQ(sent(*inspect_regular({16, 4, 1}, 1), 0), (Tuples{{2, 2}}));
  EXPECT_EQ(sent(*inspect_regular({16, 4, 1}, 3), 0), (Tuples{{4, 2}}));
  EXPECT_EQ(sent(*inspect_regular({16, 4, 1}, 2), 1), (Tuples{{2, 1}, {6, 1}}));
  EXPECT_EQ((*inspect_regular({16, 4, 1}, 0)).phases[1][0].peer, 2);
}

// Figure 8: two intervals at a distance of one element.
TEST(InplaceRegular, PackingOfThirtyTwoElements) {
  const InplacePlan plan = *inspect_regular({32, 4, 1}, 0);
  EXPECT_EQ(plan.pack, (Repeats{{{{0, 1}, {8, 1}, {12, 1}, {14, 1}}, 2, 1}}));
  EXPECT_EQ(sent(plan, 1), (Tuples{{2, 2}, {10, 2}}));
}

TEST(InplaceRegular, Properties1To3HoldForEveryRankAndSize) {
  for (int ranks = 2; ranks <= 32; ranks *= 2) {
    for (const std::int64_t rows : {1, 2, 3, 10, 1000}) {
      for (const std::int64_t block : {1, 2, 7}) {
        const CyclicVector x{ranks * ranks * block * rows, ranks, block};
        const CyclicVector one_row{ranks * ranks * block, ranks, block};
        for (int rank = 0; rank < ranks; ++rank) {
          const InplacePlan plan = *inspect_regular(x, rank);
          const InplacePlan unit = *inspect_regular(one_row, rank);
          for (std::size_t phase = 0; phase < plan.phases.size(); ++phase) {
            const Tuples& tuples = sent(plan, phase);
            ASSERT_EQ(tuples.size(), std::size_t{1} << phase);
            for (std::size_t tpl = 0; tpl < tuples.size(); ++tpl) {
              EXPECT_EQ(tuples[tpl].length, x.elements / (ranks * (std::int64_t{2} << phase)));
              EXPECT_EQ(tuples[tpl].offset, rows * sent(unit, phase)[tpl].offset);
            }
          }
        }
      }
    }
  }
}

TEST(InplaceRegular, ConstantOfPropertyTwoIsOneHalfForRank0InPhase0) {
  for (const std::int64_t elements : {16, 32, 160, 1 << 20}) {
    EXPECT_EQ(sent(*inspect_regular({elements, 4, 1}, 0), 0).front().offset, elements / 4 / 2);
  }
}

TEST(InplaceRegular, DescriptorsDoNotGrowWithTheVector) {
  for (const int ranks : {1, 2, 3, 5, 7, 12, 16, 33}) {
    for (const std::int64_t elements : {std::int64_t{1000003}, std::int64_t{1} << 50}) {
      for (const std::int64_t block : {1, 5, 64}) {
        for (int rank = 0; rank < ranks; ++rank) {
          const InplacePlan plan = *inspect_regular({elements, ranks, block}, rank);
          EXPECT_LE(tuple_count(plan.pack), 3 * ranks);
          EXPECT_LE(plan.pack.size(), 3U);
          for (std::size_t phase = 0; phase < plan.phases.size(); ++phase) {
            EXPECT_LE(static_cast<int>(sent(plan, phase).size()),
                      origins(rank, static_cast<int>(phase), ranks).size());
          }
        }
      }
    }
  }
  const auto packed = [](std::int64_t elements) {
    return tuple_count((*inspect_regular({elements, 16, 1}, 3)).pack);
  };
  EXPECT_EQ(packed(16 * 32), 16);  // the papers' experiment: 16 tuples, whatever Nx is
  EXPECT_EQ(packed(78643200), 16);
  EXPECT_EQ(packed(std::int64_t{1} << 50), 16);
}

// What figure 12 read literally gives: the outgoing entries of phase 1 in logical order. With
// Nx = 16 each tuple is one element and nobody sees the difference; with Nx = 32 it is 4 tuples.
TEST(InplaceRegular, LogicalOrderWouldNotGiveProperty1) {
  const CyclicVector x{32, 4, 1};
  const InplacePlan plan = *inspect_regular(x, 0);
  Tuples in_logical_order;
  for (std::int64_t logical = 8; logical < 16; ++logical) {
    if (logical % 4 > 1) continue;  // elements of ranks 0 and 1 in [8, 16)
    const std::int64_t base = logical % 4 == 0 ? 0 : plan.phases[0][0].receive_offset;
    append(in_logical_order, {base + logical / 4, 1});
  }
  EXPECT_EQ(in_logical_order, (Tuples{{2, 1}, {10, 1}, {3, 1}, {11, 1}}));
  EXPECT_EQ(sent(plan, 1), (Tuples{{2, 2}, {10, 2}}));
}

TEST(InplaceRegular, Equation6TakesAllocOffsetOff) {
  for (const CyclicVector& x :
       {CyclicVector{16, 4, 1}, CyclicVector{96, 4, 3}, CyclicVector{50, 3, 4}}) {
    for (int rank = 0; rank < x.ranks; ++rank) {
      const std::int64_t alloc_offset = (*inspect_regular(x, rank)).region.alloc_offset;
      const Tuples distribution = x.tuples(rank);
      EXPECT_EQ(total_length(distribution), x.own_elements(rank));
      for (std::int64_t i = 0; i < x.own_elements(rank); ++i) {
        EXPECT_EQ(x.logical_address(rank, alloc_offset, alloc_offset + i),
                  phy_to_log(distribution, i));
      }
    }
  }
  EXPECT_EQ((CyclicVector{16, 4, 1}.logical_address(1, 2, 3)), 5);
}

TEST(InplaceRegular, CountBelowCountsElements) {
  for (const CyclicVector& x :
       {CyclicVector{40, 3, 4}, CyclicVector{17, 5, 1}, CyclicVector{9, 2, 20}}) {
    for (int first = 0; first <= x.ranks; ++first) {
      for (int last = first; last <= x.ranks; ++last) {
        std::int64_t expected = 0;
        for (std::int64_t logical = 0; logical <= x.elements; ++logical) {
          EXPECT_EQ(x.count_below({first, last}, logical), expected);
          const std::int64_t owner = logical / x.block % x.ranks;
          if (owner >= first && owner < last) ++expected;
        }
      }
    }
  }
}

TEST(InplaceRegular, ImpossibleArgumentsAreErrors) {
  EXPECT_FALSE(inspect_regular({16, 0, 1}, 0));
  EXPECT_FALSE(inspect_regular({16, 4, 1}, 4));
  EXPECT_FALSE(inspect_regular({16, 4, 1}, -1));
  EXPECT_FALSE(inspect_regular({-1, 4, 1}, 0));
  EXPECT_FALSE(inspect_regular({16, 4, 0}, 0));
  EXPECT_FALSE(inspect_regular({std::int64_t{1} << 62, 4, std::int64_t{1} << 62}, 0));
  EXPECT_TRUE(inspect_regular({16, 4, std::int64_t{1} << 62}, 0));
  EXPECT_TRUE(inspect_regular({0, 4, 1}, 0));
}

}  // namespace
}  // namespace tutti::inplace
