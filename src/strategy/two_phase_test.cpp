#include "strategy/two_phase.hpp"

#include <gtest/gtest.h>

#include "plan/check_plans.hpp"
#include "plan/plan_text.hpp"
#include "strategy/call_shape.hpp"
#include "strategy/strategy.hpp"
#include "support/accesses.hpp"

namespace tutti::test {
namespace {

const Strategy& two_phase() { return *find_strategy("two-phase"); }

std::vector<std::string> domains(std::span<const Plan> plans) {
  std::vector<std::string> texts;
  for (const Plan& plan : plans)
    texts.push_back(plan.owned.empty() ? std::string("nothing") : window_text(plan.owned[0]));
  return texts;
}

using Texts = std::vector<std::string>;

// The literature's example: bytes 200 to 499, three processes that interleave.
Accesses worked_example() {
  return block_cyclic({.ranks = 3, .elements = 300, .block = 10, .displacement = 200});
}

TEST(TwoPhase, WorkedExampleOfThreeProcesses) {
  const auto accesses = worked_example();
  CallFacts facts = facts_for(accesses);
  facts.hints.strategy = "two-phase";
  const auto plans = plan_all(two_phase(), facts);
  EXPECT_EQ(domains(plans), (Texts{"200..299", "300..399", "400..499"}));
  EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
  EXPECT_EQ(plan_text(plans[1]),
            "two-phase write, rank 1 of 3: 1 round, 1 phase, staging 100 bytes\n"
            "  owns 300..399\n"
            "  phase 0\n"
            "    ships to rank 0: own bytes in 200..299\n"
            "    ships to rank 2: own bytes in 400..499\n"
            "    lands from rank 0: bytes of rank 0 in 300..399\n"
            "    lands from rank 2: bytes of rank 2 in 300..399\n");
}

TEST(TwoPhase, NobodyStartsBeforeTheOneBelowEnds) {
  Accesses accesses{whole(Pattern::run(100, 200)),
                    {},
                    whole(Pattern::run(100, 300)),
                    whole(Pattern::repeat(10, 10, Pattern::run(3, 400)))};
  CallFacts facts = facts_for(accesses);
  EXPECT_FALSE(shape_of(facts).interleaved);
  facts.hints.strategy = "two-phase";
  for (const Plan& plan : plan_all(two_phase(), facts)) EXPECT_TRUE(plan.independent);
  facts.hints.romio_cb_write = Toggle::enable;
  for (const Plan& plan : plan_all(two_phase(), facts)) EXPECT_FALSE(plan.independent);

  // One byte of overlap, or ranks in another order than the file's, interleave.
  accesses[2] = whole(Pattern::run(100, 299));
  EXPECT_TRUE(shape_of(facts_for(accesses)).interleaved);
  std::swap(accesses[0], accesses[3]);
  EXPECT_TRUE(shape_of(facts_for(accesses)).interleaved);
}

TEST(TwoPhase, TogglesAsInRomio) {
  CallFacts facts = facts_for(worked_example());
  facts.hints.romio_cb_read = Toggle::disable;
  EXPECT_FALSE(two_phase().plan(facts, 0).independent) << "a write does not read the other's hint";
  facts.direction = Direction::read;
  EXPECT_TRUE(two_phase().plan(facts, 0).independent);
  facts.hints.romio_cb_read = Toggle::enable;
  EXPECT_FALSE(two_phase().plan(facts, 0).independent);
}

TEST(TwoPhase, OwnersAreAsManyAsAsked) {
  CallFacts facts = facts_for(worked_example());
  facts.hints.cb_nodes = 2;
  auto plans = plan_all(two_phase(), facts);
  EXPECT_EQ(domains(plans), (Texts{"200..349", "350..499", "nothing"}));
  EXPECT_EQ(check_plans(worked_example(), plans), Verdict::sound());
  facts.ranks[1].node = 0;
  facts.ranks[2].node = 1;
  EXPECT_EQ(domains(plan_all(two_phase(), facts)), (Texts{"200..349", "nothing", "350..499"}));
  facts.hints.cb_nodes = 0;
  facts.hints.cb_config_list = "*:1";
  EXPECT_EQ(domains(plan_all(two_phase(), facts)), (Texts{"200..349", "nothing", "350..499"}));
}

TEST(TwoPhase, HalfTheBufferPerWindow) {
  const auto accesses = worked_example();
  CallFacts facts = facts_for(accesses);
  facts.hints.cb_buffer_size = 60;
  const auto plans = plan_all(two_phase(), facts);
  EXPECT_EQ(plans[0].rounds, 4);
  EXPECT_EQ(plans[0].staging_bytes, 25);
  EXPECT_EQ(domains(plans)[2], "400..424 and on by 25 up to 499");
  EXPECT_EQ(check_plans(accesses, plans, 30), Verdict::sound());
  facts.hints.cb_buffer_size = 1;
  EXPECT_EQ(check_plans(accesses, plan_all(two_phase(), facts), 1), Verdict::sound());
}

TEST(TwoPhase, MoreOwnersThanBytes) {
  const Accesses accesses{whole(Pattern::run(1, 7)), whole(Pattern::run(1, 8)), {}, {}, {}};
  const auto plans = plan_all(two_phase(), accesses);
  EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
  EXPECT_EQ(plans[0].rounds, 1);
}

TEST(TwoPhase, LargeDomainsBeginOnPagesOrStripes) {
  const auto accesses =
      block_cyclic({.ranks = 3, .elements = 1'000'001, .block = 5, .element_bytes = 4});
  CallFacts facts = facts_for(accesses);
  auto plans = plan_all(two_phase(), facts);
  EXPECT_EQ(plans[1].owned.at(0).start % 4096, 0);
  EXPECT_EQ(plans[2].owned.at(0).start % 4096, 0);
  EXPECT_EQ(plans[2].owned.at(0).end, 4'000'004);
  facts.layout = {1 << 20, 4, 0};
  plans = plan_all(two_phase(), facts);
  EXPECT_EQ(plans[1].owned.at(0).start, 1 << 20);
  EXPECT_EQ(plans[2].owned.at(0).start, 3 << 20);
  EXPECT_EQ(check_plans(accesses, plans), Verdict::sound());
}

TEST(TwoPhase, OnlyRealPartners) {
  // Blocks one after another: a rank meets only the owner of its own place and a neighbour.
  Accesses accesses;
  for (std::int64_t rank = 0; rank < 8; ++rank)
    accesses.push_back(whole(Pattern::run(1000, rank * 1000)));
  const auto plans = plan_all(two_phase(), accesses);
  for (const Plan& plan : plans) {
    EXPECT_TRUE(plan.phases[0].ships.empty());
    EXPECT_TRUE(plan.phases[0].lands.empty());
  }
}

}  // namespace
}  // namespace tutti::test
