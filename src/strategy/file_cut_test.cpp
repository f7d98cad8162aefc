// Owners, boundaries and rounds.
#include "strategy/file_cut.hpp"

#include <gtest/gtest.h>

#include "strategy/owners.hpp"

namespace tutti {
namespace {

TEST(FileCut, PartsDifferByOneByte) {
  const Extent range{10, 23};
  std::vector<std::int64_t> begins;
  for (std::int64_t part = 0; part <= 5; ++part) begins.push_back(part_begin(range, 5, part, 1));
  EXPECT_EQ(begins, (std::vector<std::int64_t>{10, 14, 19, 23, 28, 33}));
}

TEST(FileCut, BoundariesLieOnUnits) {
  const Extent range{1000, 10'000'000};
  for (std::int64_t part = 1; part < 7; ++part) {
    const std::int64_t begin = part_begin(range, 7, part, 4096);
    EXPECT_EQ(begin % 4096, 0);
    EXPECT_LE(std::abs(begin - part_begin(range, 7, part, 1)), 2048);
  }
  EXPECT_EQ(part_begin(range, 7, 0, 4096), 1000);
  EXPECT_EQ(part_begin(range, 7, 7, 4096), 10'001'000);
}

TEST(FileCut, UnitFollowsTheLayout) {
  EXPECT_EQ(boundary_unit({}, 65535), 1);
  EXPECT_EQ(boundary_unit({}, 65536), 4096);
  EXPECT_EQ(boundary_unit({1 << 20, 4, 0}, 4 << 20), 1 << 20);
  EXPECT_EQ(boundary_unit({1 << 20, 4, 0}, 100'000), 4096);
  EXPECT_EQ(boundary_unit({1 << 20, 1, 0}, 4 << 20), 4096);
}

TEST(FileCut, RoundsAreEven) {
  const auto cut = [](std::int64_t domain, std::int64_t most, std::int64_t unit) {
    const Rounds rounds = cut_rounds(domain, most, unit);
    EXPECT_LE(rounds.window_bytes, most);
    EXPECT_GE(rounds.count * rounds.window_bytes, domain);
    EXPECT_LT((rounds.count - 1) * rounds.window_bytes, domain);
    return std::pair(rounds.count, rounds.window_bytes);
  };
  EXPECT_EQ(cut(100, 30, 4096), std::pair(std::int64_t{4}, std::int64_t{25}));
  EXPECT_EQ(cut(100, 1000, 4096), std::pair(std::int64_t{1}, std::int64_t{100}));
  EXPECT_EQ(cut(1 << 20, 300'000, 4096), std::pair(std::int64_t{4}, std::int64_t{262'144}));
  EXPECT_EQ(cut(1'000'000, 300'000, 4096), std::pair(std::int64_t{4}, std::int64_t{253'952}));
  EXPECT_EQ(cut(1'000'000, 300'000, 1), std::pair(std::int64_t{4}, std::int64_t{250'000}));
  EXPECT_EQ(cut(5, 1, 4096), std::pair(std::int64_t{5}, std::int64_t{1}));
  EXPECT_EQ(cut_rounds(0, 10, 1).count, 0);
}

TEST(Owners, ConfigListsAsInRomio) {
  EXPECT_EQ(owners_per_node(""), 0);
  EXPECT_EQ(owners_per_node("*:1"), 1);
  EXPECT_EQ(owners_per_node("*:12"), 12);
  EXPECT_EQ(owners_per_node("*:*"), 0);
  EXPECT_EQ(owners_per_node("*"), 1);
  EXPECT_EQ(owners_per_node("hosta:2, *:3"), 3);
  EXPECT_EQ(owners_per_node("hosta:2,hostb"), 0);
  EXPECT_EQ(owners_per_node("*:x"), 0);
  EXPECT_EQ(owners_per_node("*:-2"), 0);
  EXPECT_EQ(owners_per_node(",,"), 0);
}

TEST(Owners, AreSpreadOverTheNodes) {
  CallFacts facts;
  facts.ranks.resize(9);
  for (std::size_t rank = 0; rank < 9; ++rank)
    facts.ranks[rank].node = static_cast<std::int32_t>(rank / 3);
  using Ranks = std::vector<std::int32_t>;
  EXPECT_EQ(choose_owners(facts), (Ranks{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  facts.hints.cb_nodes = 4;
  EXPECT_EQ(choose_owners(facts), (Ranks{0, 1, 3, 6}));
  facts.hints.cb_config_list = "*:1";
  EXPECT_EQ(choose_owners(facts), (Ranks{0, 3, 6}));
  facts.hints.cb_nodes = 100;
  facts.hints.cb_config_list = "*:2";
  EXPECT_EQ(choose_owners(facts), (Ranks{0, 1, 3, 4, 6, 7}));
}

}  // namespace
}  // namespace tutti
