// The irregular inspector: equal to the regular one where both apply, right everywhere else.
#include "strategy/inplace_irregular.hpp"

#include <algorithm>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "strategy/inplace_regular.hpp"
#include "strategy/inplace_simulation.hpp"

namespace tutti::inplace {
namespace {

std::vector<Tuples> distributions_of(const CyclicVector& x) {
  std::vector<Tuples> result;
  for (int rank = 0; rank < x.ranks; ++rank) result.push_back(x.tuples(rank));
  return result;
}

// A value that names the owner and its element: no two elements are equal.
std::int64_t value_of(std::size_t rank, std::int64_t index) {
  return static_cast<std::int64_t>(rank) * 1'000'000 + index;
}

std::vector<Values> own_of(std::span<const Tuples> distributions) {
  std::vector<Values> own(distributions.size());
  for (std::size_t rank = 0; rank < distributions.size(); ++rank) {
    for (std::int64_t i = 0; i < total_length(distributions[rank]); ++i) {
      own[rank].push_back(value_of(rank, i));
    }
  }
  return own;
}

// Process after process writes its own elements one by one: the last rank wins.
Values reference_file(std::span<const Tuples> distributions, std::int64_t elements) {
  Values file(static_cast<std::size_t>(elements), kEmpty);
  for (std::size_t rank = 0; rank < distributions.size(); ++rank) {
    for (std::int64_t i = 0; i < total_length(distributions[rank]); ++i) {
      file[static_cast<std::size_t>(*phy_to_log(distributions[rank], i))] = value_of(rank, i);
    }
  }
  return file;
}

std::vector<Values> reference_read(std::span<const Tuples> distributions, const Values& file) {
  std::vector<Values> own(distributions.size());
  for (std::size_t rank = 0; rank < distributions.size(); ++rank) {
    for (std::int64_t i = 0; i < total_length(distributions[rank]); ++i) {
      own[rank].push_back(file[static_cast<std::size_t>(*phy_to_log(distributions[rank], i))]);
    }
  }
  return own;
}

// How far random distributions may stray from a partition in ascending order.
struct Freedom {
  bool holes = false;
  bool any_order = false;
  bool overlaps = false;
};

std::vector<Tuples> random_distributions(int ranks, const Freedom& freedom) {
  using Run = std::pair<int, int>;  // length, owner
  const auto runs = *rc::gen::container<std::vector<Run>>(
      rc::gen::pair(rc::gen::inRange(1, 30), rc::gen::inRange(freedom.holes ? -1 : 0, ranks)));
  std::vector<Tuples> result(static_cast<std::size_t>(ranks));
  std::int64_t offset = 0;
  for (const auto& [length, owner] : runs) {
    if (owner >= 0) {
      Tuples& tuples = result[static_cast<std::size_t>(owner)];
      const bool in_front = freedom.any_order && length % 2 == 0;
      tuples.insert(in_front ? tuples.begin() : tuples.end(), Tuple{offset, length});
    }
    offset += freedom.overlaps && length > 10 ? length / 3 : length;
  }
  if (!freedom.overlaps) return result;
  // MPI leaves open what one process writes twice; the reference needs one answer: own ones apart.
  for (Tuples& tuples : result) {
    std::int64_t end = 0;
    Tuples apart;
    std::ranges::sort(tuples, {}, &Tuple::offset);
    for (const Tuple& tuple : tuples) {
      const std::int64_t first = std::max(tuple.offset, end);
      end = std::max(tuple.end(), end);
      append(apart, {first, std::max<std::int64_t>(tuple.end() - first, 0)});
    }
    if (freedom.any_order) std::ranges::reverse(apart);
    tuples = apart;
  }
  return result;
}

void check_round_trip(std::span<const Tuples> distributions) {
  const Interval file = file_interval(distributions);
  const auto plans = inspect_irregular(distributions, file);
  RC_ASSERT(plans.has_value());
  RC_ASSERT(check_inplace_plans(*plans).has_value());
  const Values written = simulate_write(*plans, own_of(distributions), file.last);
  RC_ASSERT(written == reference_file(distributions, file.last));
  RC_ASSERT(simulate_read(*plans, written) == reference_read(distributions, written));
}

TEST(InplaceIrregular, WorkedExampleFromTuples) {
  const auto plans = *inspect_irregular(distributions_of({16, 4, 1}), {0, 16});
  EXPECT_EQ(plans[0].phases[0], (Phase{{1, {{2, 2}}, 4, 2}}));
  EXPECT_EQ(plans[0].phases[1], (Phase{{2, {{1, 1}, {5, 1}}, 6, 2}}));
  EXPECT_EQ(plans[2].phases[1], (Phase{{0, {{2, 1}, {6, 1}}, 0, 2}}));
  EXPECT_EQ(plans[0].pack, (Repeats{{{{0, 1}, {4, 1}, {6, 2}}, 1, 0}}));
  EXPECT_EQ((*inspect_irregular(distributions_of({32, 4, 1}), {0, 32}))[0].pack,
            (Repeats{{{{0, 1}, {8, 1}, {12, 1}, {14, 1}}, 2, 1}}));
}

// Not only the same elements: the same tuples, intervals and repetitions.
TEST(InplaceIrregular, EqualsTheRegularInspectorOnSmallRegularInput) {
  for (int ranks = 1; ranks <= 13; ++ranks) {
    for (std::int64_t elements = 0; elements <= 60; ++elements) {
      for (const std::int64_t block : {1, 2, 3, 7, 100}) {
        const CyclicVector x{elements, ranks, block};
        const auto plans = *inspect_irregular(distributions_of(x), {0, elements});
        for (int rank = 0; rank < ranks; ++rank) {
          const InplacePlan regular = *inspect_regular(x, rank);
          ASSERT_EQ(plans[static_cast<std::size_t>(rank)], regular)
              << elements << " elements, blocks of " << block << '\n'
              << inplace_plan_text(plans[static_cast<std::size_t>(rank)])
              << inplace_plan_text(regular);
        }
      }
    }
  }
}

RC_GTEST_PROP(InplaceIrregular, EqualsTheRegularInspectorOnRegularInput, ()) {
  const CyclicVector x{*rc::gen::inRange<std::int64_t>(0, 4000), *rc::gen::inRange(1, 34),
                       *rc::gen::inRange<std::int64_t>(1, 50)};
  const auto plans = inspect_irregular(distributions_of(x), {0, x.elements});
  RC_ASSERT(plans.has_value());
  for (int rank = 0; rank < x.ranks; ++rank) {
    RC_ASSERT((*plans)[static_cast<std::size_t>(rank)] == *inspect_regular(x, rank));
  }
}

RC_GTEST_PROP(InplaceIrregular, PartitionsWriteInOrderAndReadBack, ()) {
  check_round_trip(random_distributions(*rc::gen::inRange(1, 34), {}));
}

RC_GTEST_PROP(InplaceIrregular, HolesAndAnyOrderOfStorage, ()) {
  check_round_trip(
      random_distributions(*rc::gen::inRange(1, 34), {.holes = true, .any_order = true}));
}

RC_GTEST_PROP(InplaceIrregular, OverlapsGoToTheHighestRank, ()) {
  check_round_trip(random_distributions(*rc::gen::inRange(1, 20), {.overlaps = true}));
  check_round_trip(random_distributions(*rc::gen::inRange(1, 20),
                                        {.holes = true, .any_order = true, .overlaps = true}));
}

// Where every process stores in file order, a phase sends one tuple per origin at most.
RC_GTEST_PROP(InplaceIrregular, SendingTuplesDependOnOriginsOnly, ()) {
  const int ranks = *rc::gen::inRange(1, 34);
  const auto distributions = random_distributions(ranks, {.holes = true});
  const auto plans = *inspect_irregular(distributions, file_interval(distributions));
  for (const InplacePlan& plan : plans) {
    for (std::size_t phase = 0; phase < plan.phases.size(); ++phase) {
      for (const Exchange& exchange : plan.phases[phase]) {
        RC_ASSERT(static_cast<int>(exchange.send.size()) <=
                  origins(plan.rank, static_cast<int>(phase), ranks).size());
      }
    }
  }
}

TEST(InplaceIrregular, ProcessesWithoutElements) {
  for (int ranks = 1; ranks <= 9; ++ranks) {
    for (int owner = 0; owner < ranks; ++owner) {
      std::vector<Tuples> distributions(static_cast<std::size_t>(ranks));
      distributions[static_cast<std::size_t>(owner)] = {{3, 20}};
      const auto plans = *inspect_irregular(distributions, {0, 23});
      ASSERT_TRUE(check_inplace_plans(plans));
      EXPECT_EQ(simulate_write(plans, own_of(distributions), 23),
                reference_file(distributions, 23));
    }
  }
}

TEST(InplaceIrregular, TuplesOutsideTheFileAreErrors) {
  EXPECT_FALSE(inspect_irregular(std::vector<Tuples>{{{0, 5}}}, {0, 4}));
  EXPECT_FALSE(inspect_irregular(std::vector<Tuples>{{{1, 5}}}, {2, 40}));
  EXPECT_FALSE(inspect_irregular(std::vector<Tuples>{{{1, -1}}}, {0, 40}));
  EXPECT_FALSE(inspect_irregular({}, {0, 40}));
}

}  // namespace
}  // namespace tutti::inplace
