// Tables 1 to 4 of the papers, and the rules that extend them to any number of processes.
#include "strategy/inplace_layout.hpp"

#include <bit>
#include <set>

#include <gtest/gtest.h>

#include "strategy/inplace_regular.hpp"

namespace tutti::inplace {
namespace {

using Numbers = std::vector<std::int64_t>;

std::vector<InplacePlan> plans_of(const CyclicVector& vector) {
  std::vector<InplacePlan> plans;
  for (int rank = 0; rank < vector.ranks; ++rank) plans.push_back(*inspect_regular(vector, rank));
  return plans;
}

Numbers receive_offsets(const CyclicVector& vector, std::size_t phase) {
  Numbers offsets;
  for (const InplacePlan& plan : plans_of(vector)) {
    offsets.push_back(plan.phases[phase].front().receive_offset);
  }
  return offsets;
}

// The papers' pseudocode, figure by figure, for a power of two of processes.
namespace paper {

int target(int rank, int phase) {
  const int distance = 1 << phase;
  return rank % (2 * distance) < distance ? rank + distance : rank - distance;
}

std::int64_t alloc_offset(const CyclicVector& x, int rank) {
  return std::popcount(static_cast<unsigned>(rank)) * x.elements / (2 * x.ranks);
}

std::int64_t compute_offset(const CyclicVector& x, int rank, int phase) {
  std::int64_t offset = 0;
  for (int i = 0; i < phase_count(x.ranks); ++i) {
    if (target(rank, phase) > target(rank, i)) offset += x.elements / (2 * x.ranks);
  }
  return offset + (target(rank, phase) > rank ? x.elements / x.ranks : 0);
}

std::int64_t file_offset(const CyclicVector& x, int rank) {
  int reversed = 0;
  for (int bit = 0; bit < phase_count(x.ranks); ++bit)
    reversed = 2 * reversed + ((rank >> bit) & 1);
  return reversed * x.elements / x.ranks;
}

}  // namespace paper

TEST(InplaceLayout, Table1AllocOffset) {
  Numbers offsets;
  for (const auto& plan : plans_of({16, 4, 1})) offsets.push_back(plan.region.alloc_offset);
  EXPECT_EQ(offsets, (Numbers{0, 2, 2, 4}));
}

TEST(InplaceLayout, Table2PairsOfEightProcesses) {
  const std::vector<std::vector<std::pair<int, int>>> table{{{0, 1}, {2, 3}, {4, 5}, {6, 7}},
                                                            {{0, 2}, {1, 3}, {4, 6}, {5, 7}},
                                                            {{0, 4}, {1, 5}, {2, 6}, {3, 7}}};
  ASSERT_EQ(phase_count(8), 3);
  for (int phase = 0; phase < 3; ++phase) {
    for (const auto& [low, high] : table[static_cast<std::size_t>(phase)]) {
      EXPECT_EQ(partners(low, phase, 8), (Partners{high, {high}}));
      EXPECT_EQ(partners(high, phase, 8), (Partners{low, {low}}));
    }
  }
}

TEST(InplaceLayout, Table3ReceiveOffset) {
  EXPECT_EQ(receive_offsets({16, 4, 1}, 0), (Numbers{4, 0, 6, 2}));
  EXPECT_EQ(receive_offsets({16, 4, 1}, 1), (Numbers{6, 6, 0, 0}));
}

TEST(InplaceLayout, Table4FileOffset) {
  Numbers offsets;
  for (const auto& plan : plans_of({16, 4, 1})) offsets.push_back(plan.domain.first);
  EXPECT_EQ(offsets, (Numbers{0, 8, 4, 12}));
}

TEST(InplaceLayout, GeneralRulesAreThePapersFormulasInThePapersCase) {
  for (int ranks = 1; ranks <= 64; ranks *= 2) {
    for (const std::int64_t block : {1, 3, 8}) {
      for (const std::int64_t rows : {1, 2, 5}) {
        const CyclicVector x{ranks * ranks * block * rows * 2, ranks, block};
        const std::int64_t half = x.elements / (2 * ranks);
        for (int rank = 0; rank < ranks; ++rank) {
          const InplacePlan plan = *inspect_regular(x, rank);
          EXPECT_EQ(plan.region.elements, 2 * half + phase_count(ranks) * half);
          EXPECT_EQ(plan.region.alloc_offset, paper::alloc_offset(x, rank));
          EXPECT_EQ(plan.domain.first, paper::file_offset(x, rank));
          EXPECT_EQ(plan.domain.size(), x.elements / ranks);
          for (int phase = 0; phase < phase_count(ranks); ++phase) {
            const Phase& exchanges = plan.phases[static_cast<std::size_t>(phase)];
            ASSERT_EQ(exchanges.size(), 1U);
            EXPECT_EQ(exchanges[0].peer, paper::target(rank, phase));
            EXPECT_EQ(exchanges[0].receive_offset, paper::compute_offset(x, rank, phase));
            EXPECT_EQ(exchanges[0].receive_count, half);
            EXPECT_EQ(total_length(exchanges[0].send), half);
          }
        }
      }
    }
  }
}

TEST(InplaceLayout, PhaseCountIsTheLogarithmRoundedUp) {
  EXPECT_EQ(phase_count(1), 0);
  EXPECT_EQ(phase_count(16), 4);  // the papers' experiments: four stages, not three
  for (int ranks = 2; ranks <= 1000; ++ranks) {
    EXPECT_GE(1 << phase_count(ranks), ranks);
    EXPECT_LT(1 << (phase_count(ranks) - 1), ranks);
  }
}

TEST(InplaceLayout, ThreeProcessesShareOnePartner) {
  EXPECT_EQ(partners(0, 0, 3), (Partners{1, {1}}));
  EXPECT_EQ(partners(1, 0, 3), (Partners{0, {0, 2}}));
  EXPECT_EQ(partners(2, 0, 3), (Partners{1, {}}));
  EXPECT_EQ(partners(0, 1, 3), (Partners{2, {2}}));
  EXPECT_EQ(partners(1, 1, 3), (Partners{}));
  EXPECT_EQ(partners(2, 1, 3), (Partners{0, {0}}));
}

// Followed message by message: whose elements a process can hold, and which file part it keeps.
TEST(InplaceLayout, GroupsSplitDownToOnePartForAnyNumberOfProcesses) {
  for (int ranks = 1; ranks <= 130; ++ranks) {
    std::vector<std::set<int>> held;
    for (int rank = 0; rank < ranks; ++rank) held.push_back({rank});
    for (int phase = 0; phase < phase_count(ranks); ++phase) {
      const auto before = held;
      std::vector<int> messages(static_cast<std::size_t>(ranks), 0);
      for (int rank = 0; rank < ranks; ++rank) {
        const auto here = static_cast<std::size_t>(rank);
        const RankRange expected = origins(rank, phase, ranks);
        EXPECT_EQ(*held[here].begin(), expected.first);
        EXPECT_EQ(*held[here].rbegin() + 1, expected.last);
        EXPECT_EQ(static_cast<int>(held[here].size()), expected.size());
        const Partners with = partners(rank, phase, ranks);
        EXPECT_EQ(with.target.has_value(), group_parts(rank, phase, ranks).size() > 1);
        if (with.target) {
          EXPECT_EQ(std::abs(*with.target - rank), 1 << phase);
          ++messages[static_cast<std::size_t>(*with.target)];
          EXPECT_EQ(group_parts(rank, phase, ranks), group_parts(*with.target, phase, ranks));
          EXPECT_NE(group_parts(rank, phase + 1, ranks),
                    group_parts(*with.target, phase + 1, ranks));
        }
      }
      for (int rank = 0; rank < ranks; ++rank) {
        const auto here = static_cast<std::size_t>(rank);
        const Partners with = partners(rank, phase, ranks);
        EXPECT_EQ(static_cast<int>(with.sources.size()), messages[here]);
        for (const int source : with.sources) {
          EXPECT_EQ(partners(source, phase, ranks).target, rank);
          held[here].insert(before[static_cast<std::size_t>(source)].begin(),
                            before[static_cast<std::size_t>(source)].end());
        }
      }
    }
    std::set<int> parts;
    for (int rank = 0; rank < ranks; ++rank) {
      EXPECT_EQ(static_cast<int>(held[static_cast<std::size_t>(rank)].size()), ranks);
      EXPECT_EQ(group_parts(rank, phase_count(ranks), ranks).size(), 1);
      parts.insert(file_part(rank, ranks));
    }
    EXPECT_EQ(static_cast<int>(parts.size()), ranks);
  }
}

TEST(InplaceLayout, FilePartsDifferByOneElementAtMost) {
  const FileParts parts{{5, 5 + 17}, 4};
  EXPECT_EQ(parts.cut(0), 5);
  EXPECT_EQ(parts.cut(4), 22);
  for (int part = 0; part < 4; ++part) {
    EXPECT_GE(parts.interval({part, part + 1}).size(), 4);
    EXPECT_LE(parts.interval({part, part + 1}).size(), 5);
  }
  const std::int64_t huge = std::int64_t{1} << 62;
  EXPECT_EQ((FileParts{{0, huge}, 1 << 20}).cut(1 << 20), huge);
}

TEST(InplaceLayout, RegionIsOrderedByWhereElementsComeFrom) {
  const Region region =
      lay_out_region(5, 10, {{0, 4, 0, 3}, {0, 6, 0, 2}, {1, 7, 0, 1}, {2, 1, 0, 5}});
  EXPECT_EQ(region.alloc_offset, 8);
  EXPECT_EQ(region.elements, 21);
  EXPECT_EQ(slot_of(region, 1).offset, 0);
  EXPECT_EQ(slot_of(region, 4).offset, 5);
  EXPECT_EQ(slot_of(region, 6).offset, 18);
  EXPECT_EQ(slot_of(region, 7).offset, 20);
}

}  // namespace
}  // namespace tutti::inplace
