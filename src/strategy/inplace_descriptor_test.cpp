#include "strategy/inplace_descriptor.hpp"

#include <gtest/gtest.h>

namespace tutti::inplace {
namespace {

TEST(InplaceDescriptor, AppendFollowsTheThreeScenariosOfComputeDatatype) {
  Tuples tuples;
  append(tuples, {2, 1});
  EXPECT_EQ(tuples, (Tuples{{2, 1}}));
  append(tuples, {3, 1});
  EXPECT_EQ(tuples, (Tuples{{2, 2}}));
  append(tuples, {5, 1});
  append(tuples, {9, 0});
  EXPECT_EQ(tuples, (Tuples{{2, 2}, {5, 1}}));
  append(tuples, {4, 1});
  EXPECT_EQ(tuples, (Tuples{{2, 2}, {5, 1}, {4, 1}}));
}

// Figure 11: the tuples {0,1}, {7,2}, {12,1} map physical 2 to logical 8.
TEST(InplaceDescriptor, PhyToLogOfTheGenericDistribution) {
  const Tuples distribution{{0, 1}, {7, 2}, {12, 1}};
  EXPECT_EQ(phy_to_log(distribution, 0), 0);
  EXPECT_EQ(phy_to_log(distribution, 1), 7);
  EXPECT_EQ(phy_to_log(distribution, 2), 8);
  EXPECT_EQ(phy_to_log(distribution, 3), 12);
  EXPECT_EQ(phy_to_log(distribution, 4), std::nullopt);
  EXPECT_EQ(phy_to_log(distribution, -1), std::nullopt);
}

TEST(InplaceDescriptor, SliceIsPhyToLogOfEachElement) {
  const Tuples tuples{{20, 3}, {1, 4}, {9, 1}, {10, 2}};
  for (std::int64_t first = 0; first <= total_length(tuples); ++first) {
    for (std::int64_t last = first; last <= total_length(tuples); ++last) {
      Tuples expected;
      for (std::int64_t i = first; i < last; ++i) append(expected, {*phy_to_log(tuples, i), 1});
      EXPECT_EQ(slice(tuples, first, last), expected) << first << ' ' << last;
    }
  }
}

TEST(InplaceDescriptor, RepeatsExpandInTheOrderOfPacking) {
  const Repeats repeats{{{{5, 1}}, 1, 0}, {{{0, 1}, {8, 2}}, 3, 2}};
  EXPECT_EQ(expand(repeats), (Tuples{{5, 1}, {0, 1}, {8, 2}, {2, 1}, {10, 2}, {4, 1}, {12, 2}}));
  EXPECT_EQ(total_length(repeats), 10);
  EXPECT_EQ(tuple_count(repeats), 3);
}

}  // namespace
}  // namespace tutti::inplace
