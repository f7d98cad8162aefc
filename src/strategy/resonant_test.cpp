#include "strategy/resonant.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

#include "plan/check_plans.hpp"
#include "plan/plan_text.hpp"
#include "strategy/access_sets.hpp"
#include "strategy/stripe_rounds.hpp"
#include "support/accesses.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

const Strategy& resonant() { return *find_strategy("resonant"); }

CallFacts striped_facts(const Accesses& accesses, const StripeLayout& layout,
                        Direction direction = Direction::write) {
  CallFacts facts = facts_for(accesses, direction);
  facts.hints.strategy = "resonant";
  set_layout(facts, accesses, layout);
  return facts;
}

// Segments of `bytes`, dealt out to the ranks in turn.
Accesses dealt(std::int64_t ranks, std::int64_t bytes, std::int64_t times) {
  return block_cyclic({.ranks = ranks, .elements = ranks * times, .element_bytes = bytes});
}

TEST(Resonant, APlanThatCanBeRead) {
  const auto accesses = dealt(2, 50, 10);
  EXPECT_EQ(plan_text(plan_all(resonant(), striped_facts(accesses, {100, 4, 0}))[0]),
            "resonant write, rank 0 of 2: 1 round, 1 phase, staging 600 bytes\n"
            "  owns 0..999, of it 100 every 400 from 0\n"
            "  and  0..999, of it 100 every 400 from 200\n"
            "  phase 0\n"
            "    ships to rank 1: own bytes in 0..999, of it 100 every 400 from 100\n"
            "    ships to rank 1: own bytes in 0..999, of it 100 every 400 from 300\n"
            "    lands from rank 1: bytes of rank 1 in 0..999, of it 100 every 400 from 0\n"
            "    lands from rank 1: bytes of rank 1 in 0..999, of it 100 every 400 from 200\n");
}

// Storage that answers for one stripe at a time: agents read parts of the file as they come; what
// is written, what lies in large stripes and what is only read ahead they take from their I/O
// nodes.
TEST(Resonant, SmallStripesThatCannotBeReadTogetherAreReadAsTheyCome) {
  const auto accesses = dealt(4, 5000, 200);
  for (const std::int64_t unit : {64 << 10, 1 << 20})
    for (const Direction direction : {Direction::read, Direction::write}) {
      CallFacts facts = striped_facts(accesses, {unit, 4, 0}, direction);
      const auto usual = plan_all(resonant(), facts);
      facts.single_reads = true;
      EXPECT_EQ(choose_strategy(facts).name, "resonant");
      const auto plans = plan_all(resonant(), facts);
      EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
      if (direction == Direction::write || unit >= 1 << 20) {
        EXPECT_EQ(plans, usual);
        continue;
      }
      for (const Plan& plan : plans) {
        EXPECT_EQ(plan.strategy, "resonant");
        EXPECT_TRUE(plan.listed && !plan.independent);
        ASSERT_EQ(plan.owned.size(), 1U);
        EXPECT_EQ(plan.owned[0].stripes, Stripes{});
        EXPECT_EQ(plan.owned[0].start % unit, 0);
      }
      facts.hints.read_ahead = Toggle::enable;
      EXPECT_TRUE(resonant().plan(facts, 0).prefetch);
    }
}

TEST(Resonant, AgentsReadAheadWhereServersCacheOrAsToldTo) {
  const auto accesses = dealt(4, 5000, 200);
  for (const bool caches : {false, true})
    for (const Toggle wish : {Toggle::automatic, Toggle::enable, Toggle::disable}) {
      const bool ahead = wish == Toggle::automatic ? caches : wish == Toggle::enable;
      for (const Direction direction : {Direction::read, Direction::write}) {
        CallFacts facts = striped_facts(accesses, {64 << 10, 4, 0}, direction);
        facts.server_cache = caches;
        facts.hints.read_ahead = wish;
        const Plan plan = resonant().plan(facts, 1);
        EXPECT_EQ(plan.prefetch, ahead && direction == Direction::read);
      }
    }
}

// Ranks in a row, and several agents of a node: in turn, unless the order is nothing to storage.
TEST(Resonant, TurnsAreTakenWhereOrderMattersOrAsToldTo) {
  const auto in_a_row = dealt(8, 64 << 10, 1);
  const auto many = dealt(16, 5000, 400);
  for (const bool any_order : {false, true})
    for (const Toggle wish : {Toggle::automatic, Toggle::enable, Toggle::disable}) {
      const bool expected = wish == Toggle::automatic ? !any_order : wish == Toggle::enable;
      CallFacts rows = striped_facts(in_a_row, {64 << 10, 2, 0});
      CallFacts crowd = striped_facts(many, {64 << 10, 2, 0});
      crowd.hints.cb_buffer_size = 1 << 20;
      for (CallFacts* facts : {&rows, &crowd}) {
        facts->any_order = any_order;
        facts->hints.turns = wish;
        EXPECT_EQ(choose_strategy(*facts).name, "resonant");
      }
      const Plan row = resonant().plan(rows, 3);
      EXPECT_TRUE(row.independent);
      EXPECT_EQ(row.timed, expected);
      EXPECT_EQ(row.turn.empty(), !expected);
      const auto plans = plan_all(resonant(), crowd);
      EXPECT_EQ(plans[0].timed, expected);
      EXPECT_EQ(check_plans(many, plans, crowd.hints.cb_buffer_size), Verdict::sound());
    }
}

TEST(Resonant, WhereSegmentsAreStripesNothingIsExchanged) {
  const auto accesses = dealt(4, 64 << 10, 16);
  for (const Plan& plan : plan_all(resonant(), striped_facts(accesses, {64 << 10, 4, 0}))) {
    ASSERT_EQ(plan.owned.size(), 1U);
    EXPECT_EQ(plan.owned[0].stripes, (Stripes{plan.rank * (64 << 10), 64 << 10, 256 << 10}));
    EXPECT_TRUE(plan.phases[0].ships.empty() && plan.phases[0].lands.empty());
  }
}

TEST(Resonant, OneOwnerForEachNodeInEveryRound) {
  const std::uint64_t seed = test_seed("OneOwnerForEachNode", 71'000'000);
  for (int i = 0; i < 3000; ++i) {
    CallMaker maker(seed + static_cast<std::uint64_t>(i));
    RandomCall call = maker.call(12, true);
    if (!resonant().accepts(call.facts)) continue;
    const auto plans = plan_all(resonant(), call.facts);
    if (plans[0].independent) continue;
    std::map<std::int32_t, std::set<std::int32_t>> owners;
    std::map<std::int32_t, std::int64_t> reached;
    for (std::int64_t round = 0; round < plans[0].rounds; ++round)
      for (const Plan& plan : plans)
        for_each_interval(plan.owned, round, [&](Extent interval) {
          const std::int32_t node = call.facts.layout.node_of(interval.offset);
          EXPECT_EQ(call.facts.layout.node_of(interval.end() - 1), node);
          owners[node].insert(plan.rank);
          if (!plan.timed) {
            EXPECT_GE(interval.offset, reached[node]) << "not ascending, call " << i;
            reached[node] = interval.end();
          }
          return true;
        });
    if (plans[0].timed) continue;
    for (const auto& [node, ranks] : owners) ASSERT_EQ(ranks.size(), 1U) << "node " << node;
  }
}

TEST(Resonant, PlansDoNotGrowWithTheFile) {
  for (const std::int64_t ranks : {2, 3, 4, 16}) {
    std::set<std::vector<std::int64_t>> sizes;
    for (const std::int64_t gib : {1, 64}) {
      const auto accesses = dealt(ranks, 4, (gib << 30) / (4 * ranks));
      std::vector<std::int64_t> bytes;
      for (const Plan& plan : plan_all(resonant(), striped_facts(accesses, {64 << 10, 16, 0}))) {
        EXPECT_GT(plan.rounds, 1);
        bytes.push_back(plan_bytes(plan));
      }
      sizes.insert(bytes);
    }
    EXPECT_EQ(sizes.size(), 1U) << ranks << " ranks";
  }
}

TEST(Resonant, SpoiltPlansMeetAnObjection) {
  const auto accesses = dealt(4, 30, 40);
  CallFacts facts = striped_facts(accesses, {100, 4, 0});
  facts.hints.cb_buffer_size = 800;
  const auto sound = plan_all(resonant(), facts);
  ASSERT_EQ(check_plans(accesses, sound, 800), Verdict::sound());
  ASSERT_GT(sound[0].rounds, 1);
  const auto objects = [&](const std::function<void(std::vector<Plan>&)>& spoil) {
    auto plans = sound;
    spoil(plans);
    return check_plans(accesses, plans, 800) != Verdict::sound();
  };
  EXPECT_TRUE(objects([](auto& plans) { plans[1].owned[0].stripes.offset += 100; }));
  EXPECT_TRUE(objects([](auto& plans) { plans[1].owned[0].stripes.unit -= 1; }));
  EXPECT_TRUE(objects([](auto& plans) { plans[1].owned[0].stripes.unit += 1; }));
  EXPECT_TRUE(objects([](auto& plans) { plans[1].owned[0].stripes.stride *= 2; }));
  EXPECT_TRUE(objects([](auto& plans) { plans[1].owned.push_back(plans[2].owned[0]); }));
  EXPECT_TRUE(objects([](auto& plans) { plans[1].owned.clear(); }));
  EXPECT_TRUE(objects([](auto& plans) { plans[1].listed = false; }));
  EXPECT_TRUE(objects([](auto& plans) {
    for (Plan& plan : plans) plan.listed = false;
  }));
  EXPECT_TRUE(objects([](auto& plans) { plans[1].prefetch = true; }));
  EXPECT_TRUE(objects([](auto& plans) { plans[1].timed = true; }));
  EXPECT_TRUE(objects([](auto& plans) { plans[1].phases[0].ships[0].window.stripes.unit -= 1; }));
}

TEST(Resonant, RanksInARowTakeTurns) {
  Accesses accesses;
  for (std::int64_t rank = 0; rank < 10; ++rank)
    accesses.push_back(whole(Pattern::run(400, rank * 400)));
  CallFacts facts = striped_facts(accesses, {100, 4, 0});
  facts.hints.delay_us = 700;
  auto plans = plan_all(resonant(), facts);
  EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
  EXPECT_TRUE(plans[0].independent && plans[0].timed);
  EXPECT_EQ(plans[4].turn.after, (std::vector<std::int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(plans[4].turn.before, (std::vector<std::int32_t>{8, 9}));
  EXPECT_EQ(plans[4].turn.delay_us, 700);
  plans[4].turn.before.pop_back();
  EXPECT_NE(check_plans(accesses, plans), Verdict::sound()) << "rank 9 would wait for ever";
  plans = plan_all(resonant(), facts);
  plans[0].turn.after = {8};
  plans[8].turn.before = {0};
  EXPECT_NE(check_plans(accesses, plans), Verdict::sound()) << "a circle";
}

TEST(Resonant, ManyMoreRanksThanNodesShareANodeInTurn) {
  const auto accesses = dealt(16, 10, 100);
  CallFacts facts = striped_facts(accesses, {100, 2, 0});
  facts.hints.cb_buffer_size = 400;
  const auto plans = plan_all(resonant(), facts);
  EXPECT_EQ(check_plans(accesses, plans, 400), Verdict::sound());
  EXPECT_TRUE(plans[0].timed);
  for (const Plan& plan : plans) EXPECT_EQ(plan.owned.size(), 1U);
  // Node 0 has the even ranks of the first round of choices, and so on: follow its chain.
  std::int32_t rank = 0;
  std::int64_t start = 0;
  for (int turn = 0; turn < 8; ++turn) {
    const Plan& plan = plans[static_cast<std::size_t>(rank)];
    EXPECT_EQ(plan.owned[0].stripes.offset, 0);
    EXPECT_EQ(plan.owned[0].start, start);
    EXPECT_EQ(plan.turn.after.empty(), turn == 0);
    EXPECT_EQ(plan.turn.before_next_round.empty(), turn < 7);
    start += plan.owned[0].bytes;
    rank = turn < 7 ? plan.turn.before.at(0) : rank;
  }
  facts.hints.strategy = "auto";
  EXPECT_FALSE(plan_all(resonant(), facts)[0].timed) << "turns only where they are asked for";
}

TEST(Resonant, ReadsAheadWhereStorageCaches) {
  const auto accesses = dealt(3, 50, 10);
  CallFacts facts = striped_facts(accesses, {100, 4, 0}, Direction::read);
  facts.server_cache = true;
  const auto plans = plan_all(resonant(), facts);
  EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
  EXPECT_TRUE(plans[0].prefetch);
  facts.direction = Direction::write;
  EXPECT_FALSE(plan_all(resonant(), facts)[0].prefetch);
}

TEST(Resonant, LayoutsThatAreNone) {
  const auto accesses = dealt(3, 50, 10);
  const StripeLayout none[] = {{},
                               {0, 4, 0},
                               {-5, 4, 0},
                               {100, 1, 0},
                               {100, 0, 0},
                               {100, -3, 0},
                               {std::int64_t{1} << 62, 4, 0}};
  for (const StripeLayout& layout : none) {
    CallFacts facts = facts_for(accesses);
    facts.hints.strategy = "resonant";
    facts.layout = layout;
    EXPECT_FALSE(accepts_resonant(facts));
    EXPECT_EQ(choose_strategy(facts).name, "two-phase");
    EXPECT_EQ(check_plans(accesses, plan_all(resonant(), facts)), Verdict::sound());
  }
}

TEST(StripeRounds, WholeRowsWhereTheyFit) {
  const StripeLayout layout{100, 4, 0};
  const Agents one_each{0, 1, 2, 3};
  const StripeRounds rounds = cut_stripes(layout, {0, 10'000}, one_each, 4, 350);
  // 25 rows, three at a time: nine rounds, evened out.
  EXPECT_EQ(rounds.step, 3 * 400);
  EXPECT_EQ(rounds.count, 9);
  EXPECT_EQ(rounds.staged, (std::vector<std::int64_t>{300, 300, 300, 300}));
}

TEST(StripeRounds, SomeStripesOfARow) {
  // Rank 0 serves nodes 0, 2 and 3: a row would be 300 bytes; of two stripes it may have both.
  const StripeRounds rounds = cut_stripes({100, 4, 0}, {0, 10'000}, Agents{0, 1, 0, 0}, 2, 200);
  EXPECT_EQ(rounds.step, 200);
  EXPECT_EQ(rounds.staged, (std::vector<std::int64_t>{200, 100}));
}

TEST(StripeRounds, PartsOfAStripe) {
  const StripeRounds rounds = cut_stripes({100, 4, 0}, {0, 10'000}, Agents{0, 1, 2, 3}, 4, 60);
  EXPECT_EQ(rounds.count, 167);
  EXPECT_LE(rounds.step, 60);
}

}  // namespace
}  // namespace tutti::test
