#include "strategy/process_groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "strategy/call_shape.hpp"
#include "support/accesses.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

using Ranks = std::vector<std::int32_t>;

Ranks group(const ProcessSet& set, std::int64_t k) {
  const auto found = set.group(k);
  return {found.begin(), found.end()};
}

// mpi-io-test: four processes read four segments in a row.
std::vector<AccessSet> in_a_row(std::int64_t ranks, std::int64_t segment,
                                const StripeLayout& layout) {
  Accesses accesses;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    accesses.push_back(whole(Pattern::run(segment, rank * segment)));
  CallFacts facts = facts_for(accesses);
  set_layout(facts, accesses, layout);
  return access_sets(facts);
}

TEST(ProcessSets, SegmentsOfAStripeShareNoNode) {
  const auto sets = process_sets(in_a_row(4, 64 << 10, {64 << 10, 4, 0}));
  EXPECT_EQ(sets, (std::vector<ProcessSet>{{{0}, 1}, {{1}, 1}, {{2}, 1}, {{3}, 1}}));
}

TEST(ProcessSets, HalfAStripeEach) {
  const auto sets = process_sets(in_a_row(8, 32 << 10, {64 << 10, 4, 0}));
  EXPECT_EQ(sets, (std::vector<ProcessSet>{{{0, 1}, 1}, {{2, 3}, 1}, {{4, 5}, 1}, {{6, 7}, 1}}));
  // One node in each set: its processes go one after the other.
  EXPECT_EQ(turn_in_groups(sets, 3).after, Ranks{2});
  EXPECT_EQ(turn_in_groups(sets, 2).before, Ranks{3});
  EXPECT_TRUE(turn_in_groups(sets, 2).after.empty());
}

TEST(ProcessSets, TenProcessesOnFourNodesAreThreeGroups) {
  const auto sets = process_sets(in_a_row(10, 256 << 10, {64 << 10, 4, 0}));
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].io_nodes, 4);
  EXPECT_EQ(group(sets[0], 0), (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(group(sets[0], 1), (Ranks{4, 5, 6, 7}));
  EXPECT_EQ(group(sets[0], 2), (Ranks{8, 9}));
  EXPECT_TRUE(group(sets[0], 3).empty());
  EXPECT_TRUE(group(sets[0], -1).empty());
  const Turn turn = turn_in_groups(sets, 5);
  EXPECT_EQ(turn.after, (Ranks{0, 1, 2, 3}));
  EXPECT_EQ(turn.before, (Ranks{8, 9}));
}

TEST(ProcessSets, JoinedThroughOthersAndSilentRanks) {
  // Rank 0 on nodes 0 and 1, rank 2 on nodes 1 and 2, rank 3 on node 3; rank 1 asks for nothing.
  const std::vector<AccessSet> sets{
      {5, 0, 0, 0}, {5, 0, 1, 0}, {0, 0, 1, 0}, {0, 0, 0, 9}, {0, 0, 0, 0}};
  EXPECT_EQ(process_sets(sets), (std::vector<ProcessSet>{{{0, 2}, 3}, {{3}, 1}}));
  EXPECT_EQ(turn_in_groups(process_sets(sets), 1), Turn());
}

TEST(NonOverlapping, EachRanksDataBelowTheNextOnes) {
  const auto interleaved = [](const Accesses& accesses) {
    return shape_of(facts_for(accesses)).interleaved;
  };
  const Accesses row{
      whole(Pattern::run(10)), {}, whole(Pattern::run(10, 10)), whole(Pattern::run(1, 30))};
  EXPECT_FALSE(interleaved(row));
  EXPECT_TRUE(interleaved({row[2], row[0]})) << "in the other order";
  EXPECT_TRUE(interleaved({whole(Pattern::run(10)), whole(Pattern::run(10, 9))})) << "one byte";
  EXPECT_TRUE(
      interleaved({whole(Pattern::repeat(2, 20, Pattern::run(5))), whole(Pattern::run(5, 10))}))
      << "in a gap";
}

TEST(ProcessSets, Properties) {
  std::mt19937_64 random(test_seed("ProcessSets", 62));
  for (int i = 0; i < 3000; ++i) {
    const std::size_t ranks = 1 + random() % 20;
    std::vector<AccessSet> sets(1 + random() % 12, AccessSet(ranks, 0));
    for (AccessSet& set : sets)
      for (std::int64_t& bytes : set) bytes = random() % 8 == 0 ? 1 : 0;
    const auto found = process_sets(sets);
    Ranks seen;
    std::int32_t nodes_used = 0;
    for (const ProcessSet& set : found) {
      ASSERT_TRUE(std::is_sorted(set.ranks.begin(), set.ranks.end()));
      seen.insert(seen.end(), set.ranks.begin(), set.ranks.end());
      nodes_used += set.io_nodes;
      std::size_t grouped = 0;
      for (std::int64_t k = 0; !set.group(k).empty(); ++k) grouped += set.group(k).size();
      ASSERT_EQ(grouped, set.ranks.size());
    }
    ASSERT_EQ(nodes_used, std::count_if(sets.begin(), sets.end(), is_asked)) << "shared by none";
    Ranks asking;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      if (std::any_of(sets.begin(), sets.end(),
                      [&](const AccessSet& set) { return set[rank] > 0; }))
        asking.push_back(static_cast<std::int32_t>(rank));
    std::sort(seen.begin(), seen.end());
    ASSERT_EQ(seen, asking);
    for (const AccessSet& node : sets) {
      int users = 0;
      for (const ProcessSet& set : found)
        users += std::any_of(set.ranks.begin(), set.ranks.end(), [&](std::int32_t rank) {
          return node[static_cast<std::size_t>(rank)] > 0;
        });
      ASSERT_LE(users, 1) << "two sets share a node";
    }
  }
}

}  // namespace
}  // namespace tutti::test
