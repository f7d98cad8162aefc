#include "strategy/multi_phase.hpp"

#include <bit>
#include <set>

#include <gtest/gtest.h>

#include "plan/check_plans.hpp"
#include "plan/plan_text.hpp"
#include "strategy/strategy.hpp"
#include "support/accesses.hpp"

namespace tutti::test {
namespace {

const Strategy& multi_phase() { return *find_strategy("multi-phase"); }

// Nx = 16 elements of one byte, Np = 4, Bx = 1: the papers' example.
Accesses papers_example() { return block_cyclic({.ranks = 4, .elements = 16}); }

TEST(MultiPhase, Table2PairsAreRMinusAndPlusTwoToThePhase) {
  const auto plans = plan_all(multi_phase(), block_cyclic({.ranks = 8, .elements = 64}));
  for (const Plan& plan : plans) {
    ASSERT_EQ(plan.phases.size(), 3U);
    for (std::size_t phase = 0; phase < 3; ++phase) {
      const std::int32_t partner = plan.rank ^ (1 << phase);
      EXPECT_EQ(plan.phases[phase].ships.size(), std::size_t{1} << phase);
      for (const Piece& piece : plan.phases[phase].ships) EXPECT_EQ(piece.peer, partner);
      for (const Piece& piece : plan.phases[phase].lands) EXPECT_EQ(piece.peer, partner);
    }
  }
}

TEST(MultiPhase, Table4FileOffsets) {
  const auto accesses = papers_example();
  const auto plans = plan_all(multi_phase(), accesses);
  std::vector<std::int64_t> offsets;
  for (const Plan& plan : plans) {
    offsets.push_back(plan.owned.at(0).start);
    EXPECT_EQ(plan.owned.at(0).bytes, 4);
    EXPECT_EQ(plan.rounds, 1);
  }
  EXPECT_EQ(offsets, (std::vector<std::int64_t>{0, 8, 4, 12}));
  EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
}

// The papers' case, Np²·Bx divides Nx: every exchange moves exactly half of what a process has.
TEST(MultiPhase, EachExchangeMovesHalfInThePapersCase) {
  for (const std::int64_t ranks : {2, 4, 8, 16}) {
    const auto accesses = block_cyclic(
        {.ranks = ranks, .elements = ranks * ranks * 6, .block = 3, .element_bytes = 4});
    const auto plans = plan_all(multi_phase(), accesses);
    for (const Plan& plan : plans)
      for (const Phase& phase : plan.phases) {
        std::int64_t shipped = 0;
        for (const Piece& piece : phase.ships) {
          const FileRange& origin = accesses[static_cast<std::size_t>(piece.origin)];
          for_each_interval(piece.window, 0, [&](Extent interval) {
            shipped += stream_in(origin, interval).bytes();
            return true;
          });
        }
        EXPECT_EQ(2 * shipped, accesses[0].bytes);
      }
  }
}

// Two blocks of two on four processes: halves of lists are not halves of the file.
TEST(MultiPhase, PhasesSplitTheFileNotTheList) {
  const auto accesses = block_cyclic({.ranks = 4, .elements = 16, .block = 2});
  const auto plans = plan_all(multi_phase(), accesses);
  EXPECT_EQ(plans[0].owned.at(0), moving_interval(0, 4, 16, 4));
  EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
}

TEST(MultiPhase, EveryByteMovesOnceForSevenRanks) {
  const auto accesses =
      block_cyclic({.ranks = 7, .elements = 10'007, .block = 3, .element_bytes = 4});
  const auto plans = plan_all(multi_phase(), accesses);
  EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
}

TEST(MultiPhase, AnyNumberOfRanksInLogarithmicPhases) {
  for (const std::int64_t ranks : {1, 2, 3, 5, 6, 7, 8, 12, 13, 31, 33}) {
    for (const std::int64_t elements : {ranks - 1, ranks, 10 * ranks + 3, 2000 + ranks}) {
      const auto accesses =
          block_cyclic({.ranks = ranks, .elements = elements, .block = 2, .element_bytes = 3});
      CallFacts facts = facts_for(accesses);
      for (const std::int64_t buffer : {8, 100, 1 << 20}) {
        facts.hints.cb_buffer_size = buffer;
        const auto plans = plan_all(multi_phase(), facts);
        EXPECT_EQ(check_plans(accesses, plans, buffer), Verdict::sound())
            << ranks << " ranks, " << elements << " elements, buffer " << buffer;
        EXPECT_EQ(plans[0].phases.size(),
                  static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ranks - 1))));
      }
    }
  }
}

TEST(MultiPhase, RadixOfAllRanksIsDirectExchange) {
  const auto accesses = block_cyclic({.ranks = 6, .elements = 600, .element_bytes = 2});
  CallFacts facts = facts_for(accesses);
  facts.hints.radix = 6;
  const auto plans = plan_all(multi_phase(), facts);
  const auto direct = plan_all(*find_strategy("two-phase"), facts);
  for (std::size_t rank = 0; rank < 6; ++rank) {
    ASSERT_EQ(plans[rank].phases.size(), 1U);
    EXPECT_EQ(plans[rank].phases[0].ships.size(), 5U);
    for (const Piece& piece : plans[rank].phases[0].ships)
      EXPECT_EQ(piece.origin, plans[rank].rank);
    EXPECT_EQ(plans[rank].owned.at(0).start, direct[rank].owned.at(0).start);
    EXPECT_EQ(plans[rank].owned.at(0).bytes, direct[rank].owned.at(0).bytes);
  }
}

TEST(MultiPhase, NodeFirstSendsEachByteOnceBetweenNodes) {
  const auto accesses = block_cyclic({.ranks = 8, .elements = 6400, .element_bytes = 4});
  CallFacts facts = facts_for(accesses);
  for (std::size_t rank = 0; rank < 8; ++rank)
    facts.ranks[rank].node = static_cast<std::int32_t>(rank / 4);
  const auto plans = plan_all(multi_phase(), facts);
  EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
  ASSERT_EQ(plans[0].phases.size(), 2U);
  std::set<std::pair<std::int32_t, std::int32_t>> between;
  for (const Plan& plan : plans) {
    for (const Piece& piece : plan.phases[0].ships) EXPECT_EQ(piece.peer / 4, plan.rank / 4);
    for (const Piece& piece : plan.phases[1].ships) between.insert({plan.rank, piece.peer});
  }
  EXPECT_EQ(between.size(), 8U) << "one partner each on the other node";
}

TEST(MultiPhase, OneWindowForEachRankInEveryRound) {
  const auto accesses =
      block_cyclic({.ranks = 4, .elements = 1 << 20, .element_bytes = 4, .displacement = 8192});
  CallFacts facts = facts_for(accesses);
  facts.hints.cb_buffer_size = 512 << 10;
  const auto plans = plan_all(multi_phase(), facts);
  EXPECT_EQ(plans[0].rounds, 4);
  for (const Plan& plan : plans) {
    EXPECT_EQ(plan.staging_bytes, 256 << 10);
    EXPECT_EQ(plan.owned.at(0).start % 4096, 0);
    EXPECT_EQ(plan.owned.at(0).step, 1 << 20);
  }
}

// One rank holds the whole range: what its partners hold between phases must not grow with P.
TEST(MultiPhase, WindowsShrinkWhereOneRankHoldsEverything) {
  Accesses accesses(16);
  accesses[3] = whole(Pattern::run(64 << 20));
  CallFacts facts = facts_for(accesses);
  facts.hints.cb_buffer_size = 4 << 20;
  const auto plans = plan_all(multi_phase(), facts);
  EXPECT_EQ(check_plans(accesses, plans, 4 << 20), Verdict::sound());
  EXPECT_LE(plans[0].phases[0].lands.size() + plans[2].phases[0].lands.size(), 1U);
  EXPECT_LE(plans[3].phases[0].ships[0].window.bytes, 2 << 20);
}

TEST(MultiPhase, RefusesPatternsThatRelaysDoNotKnow) {
  CallFacts facts = facts_for(papers_example());
  EXPECT_TRUE(multi_phase().accepts(facts));
  facts.ranks[2].described = false;
  EXPECT_FALSE(multi_phase().accepts(facts));
  EXPECT_TRUE(find_strategy("two-phase")->accepts(facts));
  facts.ranks[2].bytes = 0;
  EXPECT_TRUE(multi_phase().accepts(facts));
}

}  // namespace
}  // namespace tutti::test
