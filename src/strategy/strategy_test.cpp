// The contract of every strategy in the registry.
#include "strategy/strategy.hpp"

#include <set>

#include <gtest/gtest.h>

#include "plan/check_plans.hpp"
#include "plan/plan_text.hpp"
#include "support/accesses.hpp"
#include "support/run_plans.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

constexpr int kCheckedCalls = 20'000;
constexpr int kRunCalls = 1'500;

std::string all_text(std::span<const Plan> plans) {
  std::string text;
  for (const Plan& plan : plans) text += plan_text(plan);
  return text;
}

class EveryStrategy : public ::testing::TestWithParam<Strategy> {};

TEST_P(EveryStrategy, SoundForRandomCalls) {
  const Strategy& strategy = GetParam();
  const std::uint64_t seed = test_seed("SoundForRandomCalls", 20'250'101);
  int accepted = 0;
  for (int i = 0; i < kCheckedCalls; ++i) {
    CallMaker maker(seed + static_cast<std::uint64_t>(i));
    const RandomCall call = maker.call(33, strategy.by_io_node);
    if (!strategy.accepts(call.facts)) continue;
    ++accepted;
    const auto plans = plan_all(strategy, call.facts);
    ASSERT_EQ(check_plans(call.accesses, plans, call.facts.hints.cb_buffer_size), Verdict::sound())
        << "call " << i << '\n'
        << all_text(plans);
    for (const Plan& plan : plans) ASSERT_EQ(plan.strategy, strategy.name);
  }
  EXPECT_GT(accepted, kCheckedCalls / 2);
}

TEST_P(EveryStrategy, MovesTheRightBytes) {
  const Strategy& strategy = GetParam();
  const std::uint64_t seed = test_seed("MovesTheRightBytes", 31'000'000);
  for (int i = 0; i < kRunCalls; ++i) {
    CallMaker maker(seed + static_cast<std::uint64_t>(i));
    const RandomCall call = maker.call(17, strategy.by_io_node);
    if (!strategy.accepts(call.facts)) continue;
    const auto plans = plan_all(strategy, call.facts);
    ByteFile file;
    for (std::int64_t n = maker.below(2000); n > 0; --n)
      file.bytes.push_back(static_cast<std::uint8_t>(200 + maker.below(20)));
    if (call.facts.direction == Direction::read) {
      EXPECT_EQ(PlanRun(call.accesses, plans).read(file), read_naively(call.accesses, file))
          << "call " << i << '\n'
          << all_text(plans);
      continue;
    }
    std::vector<Bytes> memory;
    for (std::size_t rank = 0; rank < call.accesses.size(); ++rank) {
      memory.emplace_back();
      for (std::int64_t n = 0; n < call.accesses[rank].bytes; ++n)
        memory[rank].push_back(static_cast<std::uint8_t>(maker.below(200)));
    }
    ByteFile expected = file;
    write_naively(call.accesses, memory, expected);
    PlanRun(call.accesses, plans).write(memory, file);
    ASSERT_EQ(file.bytes, expected.bytes) << "call " << i << '\n' << all_text(plans);
  }
}

TEST_P(EveryStrategy, SameFactsSamePlan) {
  CallMaker maker(test_seed("SameFactsSamePlan", 5));
  for (int i = 0; i < 50; ++i) {
    const RandomCall call = maker.call(20, GetParam().by_io_node);
    if (!GetParam().accepts(call.facts)) continue;
    EXPECT_EQ(plan_all(GetParam(), call.facts), plan_all(GetParam(), call.facts));
  }
}

TEST_P(EveryStrategy, PlanDoesNotGrowWithTheElements) {
  const Strategy& strategy = GetParam();
  for (const std::int64_t ranks : {1, 4, 7, 16, 64}) {
    std::set<std::int64_t> sizes;
    for (const std::int64_t elements : {1'000 * ranks, 1'000'000'000 * ranks}) {
      const auto plans = plan_all(
          strategy,
          block_cyclic({.ranks = ranks, .elements = elements, .block = 1, .element_bytes = 4}));
      for (const Plan& plan : plans) EXPECT_LE(plan_bytes(plan), 128 * ranks + 512);
      std::int64_t all = 0;
      for (const Plan& plan : plans) all += plan_bytes(plan);
      sizes.insert(all);
    }
    EXPECT_EQ(sizes.size(), 1U) << ranks << " ranks";
  }
}

TEST_P(EveryStrategy, SilentRanksAndNothingAtAll) {
  const Strategy& strategy = GetParam();
  for (const std::size_t ranks : {1U, 2U, 5U, 33U}) {
    Accesses accesses(ranks);
    EXPECT_EQ(check_plans(accesses, plan_all(strategy, accesses)), Verdict::sound());
    accesses[ranks / 2] = whole(Pattern::run(1, 12345));
    EXPECT_EQ(check_plans(accesses, plan_all(strategy, accesses)), Verdict::sound());
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryStrategy,
                         ::testing::ValuesIn(strategies().begin(), strategies().end()),
                         [](const auto& row) {
                           std::string name(row.param.name);
                           std::erase(name, '-');
                           return name;
                         });

TEST(Registry, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const Strategy& strategy : strategies()) {
    EXPECT_TRUE(names.insert(strategy.name).second) << strategy.name;
    EXPECT_EQ(find_strategy(strategy.name), &strategy);
    EXPECT_FALSE(strategy.help.empty());
  }
  EXPECT_EQ(find_strategy("unheard-of"), nullptr);
  EXPECT_EQ(find_strategy("auto"), nullptr);
}

}  // namespace
}  // namespace tutti::test
