// Figures 1, 3, 5, 6, 7 and 8 of the papers, element by element, and whole collective writes and
// reads of block-cyclic vectors of any shape.
#include "strategy/inplace_simulation.hpp"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "strategy/inplace_regular.hpp"

namespace tutti::inplace {
namespace {

using Regions = std::vector<Values>;
constexpr std::int64_t e = kEmpty;

std::vector<InplacePlan> plans_of(const CyclicVector& x) {
  std::vector<InplacePlan> plans;
  for (int rank = 0; rank < x.ranks; ++rank) plans.push_back(*inspect_regular(x, rank));
  return plans;
}

// Each element's value is its logical address.
Regions own_of(const CyclicVector& x) {
  Regions own(static_cast<std::size_t>(x.ranks));
  for (std::int64_t logical = 0; logical < x.elements; ++logical) {
    own[static_cast<std::size_t>(logical / x.block % x.ranks)].push_back(logical);
  }
  return own;
}

Values counted(std::int64_t elements) {
  Values values(static_cast<std::size_t>(elements));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(InplaceSimulation, FiguresOfSixteenElements) {
  const CyclicVector x{16, 4, 1};
  const auto plans = plans_of(x);
  ASSERT_TRUE(check_inplace_plans(plans));
  const Regions own = own_of(x);
  EXPECT_EQ(own, (Regions{{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}))
      << "figure 1";
  Regions regions;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    regions.push_back(fill_region(plans[rank], own[rank]));
  }
  EXPECT_EQ(regions, (Regions{{0, 4, 8, 12, e, e, e, e},
                              {e, e, 1, 5, 9, 13, e, e},
                              {e, e, 2, 6, 10, 14, e, e},
                              {e, e, e, e, 3, 7, 11, 15}}))
      << "figure 3";
  run_phase(plans, 0, regions);
  EXPECT_EQ(regions, (Regions{{0, 4, 8, 12, 1, 5, e, e},
                              {8, 12, 1, 5, 9, 13, e, e},
                              {e, e, 2, 6, 10, 14, 3, 7},
                              {e, e, 10, 14, 3, 7, 11, 15}}))
      << "figure 5";
  run_phase(plans, 1, regions);
  EXPECT_EQ(regions, (Regions{{0, 4, 8, 12, 1, 5, 2, 3},
                              {8, 12, 1, 5, 9, 13, 10, 11},
                              {4, 5, 2, 6, 10, 14, 3, 7},
                              {12, 13, 10, 14, 3, 7, 11, 15}}))
      << "figure 6";
  Regions packed;
  for (std::size_t rank = 0; rank < 4; ++rank) packed.push_back(pack(plans[rank], regions[rank]));
  EXPECT_EQ(packed, (Regions{{0, 1, 2, 3}, {8, 9, 10, 11}, {4, 5, 6, 7}, {12, 13, 14, 15}}))
      << "figure 7";
}

TEST(InplaceSimulation, Figure8OfThirtyTwoElements) {
  const CyclicVector x{32, 4, 1};
  const auto plans = plans_of(x);
  const Regions own = own_of(x);
  Regions regions;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    regions.push_back(fill_region(plans[rank], own[rank]));
  }
  run_phase(plans, 0, regions);
  run_phase(plans, 1, regions);
  EXPECT_EQ(regions[0], (Values{0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 2, 6, 3, 7}));
  EXPECT_EQ(pack(plans[0], regions[0]), (Values{0, 1, 2, 3, 4, 5, 6, 7}));
}

// Property 4 read literally: a phase gives away half of the list. Two blocks per process on four
// processes are not the papers' case (16 * 2 does not divide 16), and the file comes out wrong.
TEST(InplaceSimulation, HalfOfTheListIsNotHalfOfTheFileInterval) {
  const CyclicVector x{16, 4, 2};
  Regions lists = own_of(x);
  for (int phase = 0; phase < 2; ++phase) {
    const Regions before = lists;
    for (int rank = 0; rank < 4; ++rank) {
      const auto here = static_cast<std::size_t>(rank);
      const auto there = static_cast<std::size_t>(rank ^ (1 << phase));
      const bool lower = ((rank >> phase) & 1) == 0;
      const std::ptrdiff_t half = 2;
      const auto part = [&](const Values& list) {
        return lower ? Values(list.begin(), list.begin() + half)
                     : Values(list.begin() + half, list.end());
      };
      lists[here] = part(before[here]);
      const Values received = part(before[there]);
      lists[here].insert(lists[here].end(), received.begin(), received.end());
      std::ranges::sort(lists[here]);
    }
  }
  EXPECT_EQ(lists[0], (Values{0, 1, 4, 5})) << "what the literal rule leaves rank 0 with";

  const auto plans = plans_of(x);
  ASSERT_TRUE(check_inplace_plans(plans));
  EXPECT_EQ(plans[0].domain, (Interval{0, 4}));
  EXPECT_EQ(simulate_write(plans, own_of(x), 16), counted(16));
}

TEST(InplaceSimulation, EveryShapeOfSmallVectors) {
  for (int ranks = 1; ranks <= 13; ++ranks) {
    for (std::int64_t elements = 0; elements <= 60; ++elements) {
      for (const std::int64_t block : {1, 2, 3, 7, 100}) {
        const CyclicVector x{elements, ranks, block};
        const auto plans = plans_of(x);
        const Status sound = check_inplace_plans(plans);
        ASSERT_TRUE(sound) << sound.error().message;
        ASSERT_EQ(simulate_write(plans, own_of(x), elements), counted(elements))
            << ranks << ' ' << elements << ' ' << block << '\n'
            << inplace_plan_text(plans[0]);
        ASSERT_EQ(simulate_read(plans, counted(elements)), own_of(x))
            << ranks << ' ' << elements << ' ' << block;
      }
    }
  }
}

TEST(InplaceSimulation, EachExchangeMovesHalfExactlyInThePapersCase) {
  for (const int ranks : {2, 4, 8}) {
    for (const std::int64_t block : {1, 2, 3}) {
      for (std::int64_t elements = ranks * block; elements <= 1200; elements += ranks * block) {
        bool halves = true;
        for (const InplacePlan& plan : plans_of({elements, ranks, block})) {
          for (const Phase& phase : plan.phases) {
            halves = halves && 2 * phase[0].receive_count * ranks == elements;
          }
        }
        EXPECT_EQ(halves, elements % (ranks * ranks * block) == 0)
            << ranks << ' ' << elements << ' ' << block;
      }
    }
  }
}

TEST(InplaceSimulation, ManyProcesses) {
  for (int ranks = 14; ranks <= 70; ++ranks) {
    for (const std::int64_t elements : {5, 67, 1024, 4500}) {
      const CyclicVector x{elements, ranks, 1 + ranks % 4};
      const auto plans = plans_of(x);
      ASSERT_TRUE(check_inplace_plans(plans));
      ASSERT_EQ(simulate_write(plans, own_of(x), elements), counted(elements)) << ranks;
      ASSERT_EQ(simulate_read(plans, counted(elements)), own_of(x)) << ranks;
    }
  }
}

RC_GTEST_PROP(InplaceSimulation, WritesInOrderAndReadsBack, ()) {
  const int ranks = *rc::gen::inRange(1, 34);
  const CyclicVector x{*rc::gen::inRange<std::int64_t>(0, 3000), ranks,
                       *rc::gen::inRange<std::int64_t>(1, 80)};
  const auto plans = plans_of(x);
  RC_ASSERT(check_inplace_plans(plans).has_value());
  for (const InplacePlan& plan : plans) {
    RC_ASSERT(static_cast<int>(plan.phases.size()) == phase_count(ranks));
  }
  RC_ASSERT(simulate_write(plans, own_of(x), x.elements) == counted(x.elements));
  RC_ASSERT(simulate_read(plans, counted(x.elements)) == own_of(x));
}

}  // namespace
}  // namespace tutti::inplace
