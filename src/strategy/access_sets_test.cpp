#include "strategy/access_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "support/accesses.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

std::vector<std::int32_t> everybody(std::size_t ranks) {
  std::vector<std::int32_t> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Agents agents_of(const std::vector<AccessSet>& sets) {
  return choose_agents(sets, everybody(sets.at(0).size())).at(0);
}

// Four processes, four I/O nodes, stripes and segments of 64 KiB: each process asks one node only.
TEST(AccessSets, OfTheDemonstrationProgram) {
  Accesses accesses;
  for (std::int64_t rank = 0; rank < 4; ++rank)
    accesses.push_back(
        whole(Pattern::repeat(4, 256 << 10, Pattern::run(64 << 10)).shifted(rank * (64 << 10))));
  CallFacts facts = facts_for(accesses, Direction::read);
  set_layout(facts, accesses, {64 << 10, 4, 0});
  const auto sets = access_sets(facts);
  ASSERT_EQ(sets.size(), 4U);
  for (std::size_t node = 0; node < 4; ++node) {
    AccessSet expected(4, 0);
    expected[node] = 256 << 10;
    EXPECT_EQ(sets[node], expected);
  }
  EXPECT_EQ(agents_of(sets), (Agents{0, 1, 2, 3}));
}

TEST(AccessSets, WithoutCountsTheStretchDecidesWhoTouchesANode) {
  const Accesses accesses{whole(Pattern::run(10, 95)),
                          whole(Pattern::repeat(2, 200, Pattern::run(1)))};
  CallFacts facts = facts_for(accesses);
  facts.layout = {100, 4, 0};
  EXPECT_EQ(access_sets(facts), (std::vector<AccessSet>{{5, 100}, {5, 100}, {0, 1}, {0, 0}}));
  set_layout(facts, accesses, facts.layout);
  EXPECT_EQ(access_sets(facts), (std::vector<AccessSet>{{5, 1}, {5, 0}, {0, 1}, {0, 0}}));
}

TEST(Agents, TheOneThatAsksForMostAndIsNoneYet) {
  // Node 0: rank 2 asks for most. Node 1: rank 2 again, but it is an agent; then rank 0.
  // Node 2: ranks 1 and 3 ask for the same, the lower one is taken. Node 3: what is left.
  const std::vector<AccessSet> sets{{10, 20, 30, 5}, {8, 7, 90, 6}, {50, 4, 3, 4}, {9, 9, 9, 0}};
  EXPECT_EQ(agents_of(sets), (Agents{2, 0, 1, 3}));
}

TEST(Agents, TiesGoToTheLowestRank) {
  EXPECT_EQ(agents_of({{5, 5, 5}, {5, 5, 5}, {5, 5, 5}}), (Agents{0, 1, 2}));
}

TEST(Agents, NodesWithNothingToDoHaveNone) {
  EXPECT_EQ(agents_of({{0, 0}, {0, 3}, {0, 0}, {2, 9}}), (Agents{-1, 1, -1, 0}));
}

TEST(Agents, FewerProcessesThanNodes) {
  // After nodes 0 and 1 both are agents and the rule starts over.
  EXPECT_EQ(agents_of({{1, 9}, {1, 9}, {1, 9}, {1, 9}, {9, 1}}), (Agents{1, 0, 1, 0, 0}));
}

TEST(Agents, OneProcessServesSixteenNodes) {
  EXPECT_EQ(agents_of(std::vector<AccessSet>(16, {7})), Agents(16, 0));
}

TEST(Agents, SeveralForEachNode) {
  const std::vector<AccessSet> sets{{1, 2, 3, 4, 5, 6, 7, 8, 0}, {8, 7, 6, 5, 4, 3, 2, 1, 0}};
  EXPECT_EQ(choose_agents(sets, everybody(9), 4),
            (std::vector<Agents>{{7, 0}, {6, 1}, {5, 2}, {4, 3}}));
}

TEST(Agents, OnlyCandidates) {
  const std::vector<std::int32_t> candidates{1, 3};
  EXPECT_EQ(
      choose_agents(std::vector<AccessSet>{{9, 1, 9, 2}, {9, 0, 0, 0}, {9, 3, 0, 1}}, candidates)
          .at(0),
      (Agents{3, 1, 1}));
}

// The rule, told another way: by looking at every node and everything that was decided before.
TEST(Agents, EveryChoiceFollowsTheRule) {
  std::mt19937_64 random(test_seed("EveryChoice", 61));
  for (int i = 0; i < 5000; ++i) {
    const std::size_t ranks = 1 + random() % 9;
    const std::size_t nodes = 1 + random() % 20;
    std::vector<AccessSet> sets(nodes, AccessSet(ranks, 0));
    for (AccessSet& set : sets)
      if (random() % 4 != 0)
        for (std::int64_t& bytes : set) bytes = static_cast<std::int64_t>(random() % 5);
    const Agents agents = agents_of(sets);
    std::vector<std::size_t> served(ranks, 0);
    for (std::size_t node = 0; node < nodes; ++node) {
      const AccessSet& set = sets[node];
      const bool empty = std::accumulate(set.begin(), set.end(), std::int64_t{0}) == 0;
      ASSERT_EQ(agents[node] < 0, empty);
      if (empty) continue;
      const auto agent = static_cast<std::size_t>(agents[node]);
      const std::size_t fewest = *std::min_element(served.begin(), served.end());
      ASSERT_EQ(served[agent], fewest) << "it was not its turn";
      for (std::size_t other = 0; other < ranks; ++other) {
        if (served[other] != fewest) continue;
        ASSERT_GE(set[agent], set[other]);
        if (other < agent) {
          ASSERT_GT(set[agent], set[other]) << "a lower rank asks for as much";
        }
      }
      ++served[agent];
    }
  }
}

}  // namespace
}  // namespace tutti::test
