#include "plan/plan_text.hpp"

#include <gtest/gtest.h>

#include "support/accesses.hpp"

namespace tutti::test {
namespace {

TEST(PlanText, Windows) {
  EXPECT_EQ(window_text(moving_interval(200, 100, 100, 300)), "200..299");
  EXPECT_EQ(window_text(moving_interval(200, 100, 100, 250)), "200..249");
  EXPECT_EQ(window_text(moving_interval(200, 100, 300, 1200)), "200..299 and on by 300 up to 1199");
  EXPECT_EQ(window_text({0, 1024, 1024, 8192, {64, 64, 256}}),
            "0..1023 and on by 1024 up to 8191, of it 64 every 256 from 64");
  EXPECT_EQ(window_text({0, 1024, 1024, 1000, {64, 64, 0}}), "0..999, of it 64 from 64");
  EXPECT_EQ(window_text({}), "nothing");
}

TEST(PlanText, MultiPhaseWriteOfThePapersExample) {
  const auto accesses = block_cyclic({.ranks = 4, .elements = 16});
  EXPECT_EQ(plan_text(plan_all(*find_strategy("multi-phase"), accesses)[2]),
            "multi-phase write, rank 2 of 4: 1 round, 2 phases, staging 4 bytes\n"
            "  owns 4..7\n"
            "  phase 0\n"
            "    ships to rank 3: own bytes in 8..15\n"
            "    lands from rank 3: bytes of rank 3 in 0..7\n"
            "  phase 1\n"
            "    ships to rank 0: bytes of ranks 2 3 in 0..3\n"
            "    lands from rank 0: bytes of ranks 0 1 in 4..7\n");
}

TEST(PlanText, ReadsRunTheOtherWay) {
  const auto accesses = block_cyclic({.ranks = 4, .elements = 16});
  const CallFacts facts = facts_for(accesses, Direction::read);
  EXPECT_EQ(plan_text(find_strategy("multi-phase")->plan(facts, 2)),
            "multi-phase read, rank 2 of 4: 1 round, 2 phases, staging 4 bytes\n"
            "  owns 4..7\n"
            "  phase 1\n"
            "    ships to rank 0: bytes of ranks 0 1 in 4..7\n"
            "    lands from rank 0: bytes of ranks 2 3 in 0..3\n"
            "  phase 0\n"
            "    ships to rank 3: bytes of rank 3 in 0..7\n"
            "    lands from rank 3: own bytes in 8..15\n");
}

TEST(PlanText, Alone) {
  const auto accesses = block_cyclic({.ranks = 2, .elements = 4});
  EXPECT_EQ(plan_text(plan_all(*find_strategy("sieve"), accesses)[1]),
            "sieve write, rank 1 of 2: independent, own bytes sieved\n");
}

}  // namespace
}  // namespace tutti::test
