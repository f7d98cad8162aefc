#include "strategy/phase_order.hpp"

#include <numeric>
#include <set>

#include <gtest/gtest.h>

namespace tutti {
namespace {

PhaseOrder order_of(std::int32_t ranks, std::int64_t radix) {
  CallFacts facts;
  facts.ranks.resize(static_cast<std::size_t>(ranks));
  facts.hints.radix = radix;
  return phase_order(facts);
}

TEST(PhaseOrder, Table2PairsOfEightProcesses) {
  using Pairs = std::set<std::pair<int, int>>;
  const PhaseOrder order = order_of(8, 2);
  ASSERT_EQ(order.phases(), 3);
  const Pairs expected[] = {{{0, 1}, {2, 3}, {4, 5}, {6, 7}},
                            {{0, 2}, {1, 3}, {4, 6}, {5, 7}},
                            {{0, 4}, {1, 5}, {2, 6}, {3, 7}}};
  for (std::int32_t phase = 0; phase < 3; ++phase) {
    Pairs pairs;
    for (std::int32_t rank = 0; rank < 8; ++rank) {
      const std::int32_t other = 1 - order.digit(rank, phase);
      const std::int32_t peer = *order.target(rank, phase, other);
      EXPECT_EQ(order.sources(rank, phase), std::vector{peer});
      pairs.insert({std::min(rank, peer), std::max(rank, peer)});
    }
    EXPECT_EQ(pairs, expected[phase]) << "phase " << phase;
  }
}

TEST(PhaseOrder, PartsAreBitReversedForPowersOfTwo) {
  const PhaseOrder order = order_of(8, 2);
  const std::int64_t reversed[] = {0, 4, 2, 6, 1, 5, 3, 7};
  for (std::int32_t rank = 0; rank < 8; ++rank)
    EXPECT_EQ(order.parts(rank, 3), (PartRange{reversed[rank], reversed[rank] + 1}));
  EXPECT_EQ(order.parts(5, 0), (PartRange{0, 8}));
  EXPECT_EQ(order.parts(5, 1), (PartRange{4, 8}));
  EXPECT_EQ(order.parts(5, 2), (PartRange{4, 6}));
}

TEST(PhaseOrder, AsFewPhasesAsTheRadixAllows) {
  for (const std::int32_t ranks : {1, 2, 3, 5, 6, 7, 8, 12, 13, 16, 33, 100})
    for (const std::int64_t radix : {2, 3, 4, 7, 16, 100, 1 << 20}) {
      std::int32_t least = 0;
      for (std::int64_t reached = 1; reached < ranks; reached *= radix) ++least;
      EXPECT_EQ(order_of(ranks, radix).phases(), least) << ranks << " ranks, radix " << radix;
    }
}

// Any number of ranks, any radix: parts form a partition in every phase, sources and targets agree,
// and in each group every origin is held exactly once.
TEST(PhaseOrder, EveryByteHasOneHolderInEveryGroup) {
  for (std::int32_t ranks = 1; ranks <= 40; ++ranks)
    for (const std::int64_t radix : {2, 3, 4, 5, 7, 64}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, radix " + std::to_string(radix));
      const PhaseOrder order = order_of(ranks, radix);
      for (std::int32_t phase = 0; phase <= order.phases(); ++phase) {
        std::map<std::int64_t, std::multiset<std::int32_t>> held;  // by the group's first part
        std::map<std::int64_t, std::int64_t> members;
        for (std::int32_t p = 0; p < ranks; ++p) {
          const PartRange parts = order.parts(p, phase);
          ++members[parts.first];
          for (const std::int32_t origin : order.origins(p, phase))
            held[parts.first].insert(origin);
        }
        std::int64_t next = 0;
        for (const auto& [first, count] : members) {
          ASSERT_EQ(first, next);
          next = first + count;
          ASSERT_EQ(held[first].size(), static_cast<std::size_t>(ranks));
          ASSERT_EQ(std::set(held[first].begin(), held[first].end()).size(),
                    static_cast<std::size_t>(ranks));
        }
        ASSERT_EQ(next, ranks);
        if (phase == order.phases()) break;
        for (std::int32_t p = 0; p < ranks; ++p)
          for (std::int32_t digit = 0; digit < order.radix(phase); ++digit) {
            const PartRange parts = order.subgroup_parts(p, phase, digit);
            const auto target = order.target(p, phase, digit);
            ASSERT_EQ(target.has_value(), parts.first < parts.last);
            if (!target) continue;
            ASSERT_EQ(order.parts(*target, phase + 1), parts);
            if (digit == order.digit(p, phase)) continue;
            const auto sources = order.sources(*target, phase);
            ASSERT_EQ(std::count(sources.begin(), sources.end(), p), 1);
          }
      }
    }
}

// A last block that lacks digits leans on the blocks below it in turn, not on one rank.
TEST(PhaseOrder, SharedPartnersShareTheLoad) {
  const PhaseOrder order = order_of(15, 4);
  std::size_t most = 0;
  for (std::int32_t p = 0; p < 15; ++p) most = std::max(most, order.sources(p, 0).size());
  EXPECT_EQ(most, 4U);
}

TEST(PhaseOrder, NodeFirst) {
  CallFacts facts;
  facts.ranks.resize(12);
  for (std::size_t rank = 0; rank < 12; ++rank)
    facts.ranks[rank].node = static_cast<std::int32_t>(rank % 3);  // dealt round robin
  const PhaseOrder order = phase_order(facts);
  ASSERT_EQ(order.phases(), 3);
  EXPECT_EQ(order.radix(0), 4);
  EXPECT_EQ(order.radix(1), 2);
  for (std::int32_t p = 0; p < 12; ++p)
    for (std::int32_t digit = 0; digit < 4; ++digit) {
      const std::int32_t peer = order.rank_at(*order.target(p, 0, digit));
      EXPECT_EQ(peer % 3, order.rank_at(p) % 3) << "the first phase stays on the node";
    }
  for (std::int32_t rank = 0; rank < 12; ++rank)
    EXPECT_EQ(order.rank_at(order.position_of(rank)), rank);

  facts.hints.radix = 12;
  EXPECT_EQ(phase_order(facts).phases(), 1) << "asked for direct exchange";
  facts.hints.radix = 2;
  facts.ranks[0].node = 1;
  EXPECT_EQ(phase_order(facts).radix(0), 2) << "nodes of different sizes";
  for (std::size_t rank = 0; rank < 12; ++rank)
    facts.ranks[rank].node = static_cast<std::int32_t>(rank);
  EXPECT_EQ(phase_order(facts).phases(), 4) << "one rank per node";
}

}  // namespace
}  // namespace tutti
