// What `auto` chooses, and how hints override it.
#include "strategy/automatic.hpp"

#include <gtest/gtest.h>

#include "plan/check_plans.hpp"
#include "strategy/strategy.hpp"
#include "support/accesses.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

std::string_view choice(const CallFacts& facts) { return choose_strategy(facts).name; }
std::string_view choice(std::span<const FileRange> accesses) { return choice(facts_for(accesses)); }

// `pieces` pieces for each rank, one rank's after the other's.
Accesses in_a_row(std::int64_t ranks, std::int64_t pieces, std::int64_t bytes, std::int64_t pitch) {
  Accesses accesses;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    accesses.push_back(
        whole(Pattern::repeat(pieces, pitch, Pattern::run(bytes)).shifted(rank * pieces * pitch)));
  return accesses;
}

TEST(Automatic, SmallInterleavedPiecesAreGathered) {
  for (const std::int64_t block : {1, 16, 512, 65536})
    EXPECT_EQ(choice(block_cyclic(
                  {.ranks = 4, .elements = 16 << 20, .block = block, .element_bytes = 4})),
              "two-phase");
}

TEST(Automatic, StripedFilesAreGatheredByAgents) {
  CallFacts facts = facts_for(block_cyclic({.ranks = 4, .elements = 16 << 20, .element_bytes = 4}));
  facts.layout = {64 << 10, 4, 0};
  EXPECT_EQ(choice(facts), "resonant");
  facts.layout.io_nodes = 5;
  EXPECT_EQ(choice(facts), "two-phase") << "more nodes than ranks";
  facts.layout = {16 << 20, 4, 0};
  EXPECT_EQ(choice(facts), "two-phase") << "stripes larger than staging";
  facts.layout = {5 << 20, 4, 0};
  EXPECT_EQ(choice(facts), "two-phase") << "hardly three rows of stripes";
  facts.layout = {64 << 10, 1, 0};
  EXPECT_EQ(choice(facts), "two-phase") << "one node";
  facts.layout = layout_by_table(*PlacementTable::make({}), 64 << 10, 4);
  EXPECT_EQ(choice(facts), "two-phase") << "nodes that are not known";
  facts = facts_for(in_a_row(4, 175'000, 4, 12));
  facts.layout = {4 << 10, 4, 0};
  EXPECT_EQ(choice(facts), "two-phase") << "nobody interleaves";
}

TEST(Automatic, LargePiecesAreLeftToTheirRanks) {
  EXPECT_EQ(choice(in_a_row(4, 1, 64 << 20, 64 << 20)), "independent");
  EXPECT_EQ(choice(in_a_row(4, 100, 128 << 10, 256 << 10)), "independent");
  EXPECT_EQ(choice(block_cyclic({.ranks = 4, .elements = 64, .element_bytes = 2 << 20})),
            "independent");
}

// mpich#7283: every rank writes 175,000 pieces of four bytes that nobody interleaves with.
TEST(Automatic, ManySmallPiecesAreGatheredAlsoWhereNobodyInterleaves) {
  EXPECT_EQ(choice(in_a_row(4, 175'000, 4, 12)), "two-phase");
  EXPECT_EQ(choice(in_a_row(1, 175'000, 4, 12)), "two-phase");
}

TEST(Automatic, FewPiecesDoNotPayForAnExchange) {
  EXPECT_EQ(choice(in_a_row(4, 1, 100, 100)), "independent");
  EXPECT_EQ(choice(in_a_row(1, 1, 100, 100)), "independent");
}

TEST(Automatic, FarApartPiecesAreNotWorthTheirGaps) {
  EXPECT_EQ(choice(in_a_row(4, 1000, 8, 1 << 20)), "independent");
}

TEST(Automatic, NothingToDo) { EXPECT_EQ(choice(Accesses(5)), "independent"); }

TEST(Automatic, StreamsThatDoNotAscend) {
  auto accesses = block_cyclic({.ranks = 4, .elements = 1000});
  accesses[1] = whole(Pattern::repeat(3, -8, Pattern::run(4, 100)));
  EXPECT_EQ(choice(accesses), "independent");
  CallFacts facts = facts_for(accesses);
  facts.hints.romio_cb_write = Toggle::enable;
  EXPECT_EQ(choice(facts), "independent");
  facts.hints.strategy = "multi-phase";
  EXPECT_EQ(choice(facts), "independent");
  facts.hints.strategy = "sieve";
  EXPECT_EQ(choice(facts), "sieve");
}

TEST(Automatic, TogglesAreObeyed) {
  CallFacts facts = facts_for(block_cyclic({.ranks = 4, .elements = 1000}));
  facts.hints.romio_cb_write = Toggle::disable;
  EXPECT_EQ(choice(facts), "independent");
  facts.direction = Direction::read;
  EXPECT_EQ(choice(facts), "two-phase");
  facts = facts_for(in_a_row(4, 1, 64 << 20, 64 << 20));
  facts.hints.romio_cb_write = Toggle::enable;
  EXPECT_EQ(choice(facts), "two-phase");
  EXPECT_FALSE(choose_strategy(facts).plan(facts, 0).independent);
}

TEST(Automatic, NamedStrategiesAreTaken) {
  CallFacts facts = facts_for(block_cyclic({.ranks = 4, .elements = 1000}));
  for (const Strategy& strategy : strategies()) {
    facts.layout = {64, strategy.by_io_node ? 4 : 1, 0};
    facts.hints.strategy = strategy.name;
    EXPECT_EQ(choice(facts), strategy.name);
  }
  facts.layout = {};
  facts.hints.strategy = "resonant";
  EXPECT_EQ(choice(facts), "two-phase") << "without striping";
  facts.hints.strategy = "unheard-of";
  EXPECT_EQ(choice(facts), "two-phase");
}

TEST(Automatic, WhatItChoosesIsSound) {
  const std::uint64_t seed = test_seed("WhatItChooses", 41'000'000);
  int gathered = 0;
  for (int i = 0; i < 5000; ++i) {
    CallMaker maker(seed + static_cast<std::uint64_t>(i));
    const RandomCall call = maker.call(12);
    const Strategy& strategy = choose_strategy(call.facts);
    const auto plans = plan_all(strategy, call.facts);
    ASSERT_EQ(check_plans(call.accesses, plans, call.facts.hints.cb_buffer_size), Verdict::sound());
    gathered += plans[0].independent ? 0 : 1;
  }
  EXPECT_GT(gathered, 1000);
}

}  // namespace
}  // namespace tutti::test
