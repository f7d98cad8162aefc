// The parts of the irregular inspector, on the papers' worked examples (section 3.3.3).
#include "strategy/inplace_mapping.hpp"

#include <gtest/gtest.h>

namespace tutti::inplace {
namespace {

TEST(InplaceMapping, ListOfRank0) {
  const MappingList list = mapping_list(Tuples{{0, 1}, {4, 1}, {8, 1}, {12, 1}}, 0);
  EXPECT_EQ(list, (MappingList{{0, 0}, {4, 1}, {8, 2}, {12, 3}}));
}

TEST(InplaceMapping, ListOfAGenericDistribution) {
  EXPECT_EQ(mapping_list(Tuples{{0, 1}, {7, 2}, {12, 1}}, 5),
            (MappingList{{0, 5, 1}, {7, 6, 2}, {12, 8, 1}}));
  EXPECT_EQ(mapping_list(Tuples{{12, 1}, {3, 0}, {7, 2}}, 0), (MappingList{{7, 1, 2}, {12, 0, 1}}));
}

TEST(InplaceMapping, FirstPhaseOfRank0) {
  MappingList list = mapping_list(Tuples{{0, 1}, {4, 1}, {8, 1}, {12, 1}}, 0);
  SplitList split = split_list(list, 8);
  EXPECT_EQ(split.from, (MappingList{{8, 2}, {12, 3}}));
  EXPECT_EQ(compute_datatype(by_physical(split.from)), (Tuples{{2, 2}}));
  EXPECT_EQ(logical_tuples(by_physical(split.from)), (Tuples{{8, 1}, {12, 1}}));
  list = split.below;
  add_list(list, mapping_list(Tuples{{1, 1}, {5, 1}}, 4));
  EXPECT_EQ(list, (MappingList{{0, 0}, {1, 4}, {4, 1}, {5, 5}}));
}

TEST(InplaceMapping, SecondPhaseOfRank0) {
  SplitList split = split_list(MappingList{{0, 0}, {1, 4}, {4, 1}, {5, 5}}, 4);
  EXPECT_EQ(split.from, (MappingList{{4, 1}, {5, 5}}));
  EXPECT_EQ(compute_datatype(by_physical(split.from)), (Tuples{{1, 1}, {5, 1}}));
  add_list(split.below, mapping_list(Tuples{{2, 2}}, 6));  // moved by 6, not by 5
  EXPECT_EQ(split.below, (MappingList{{0, 0}, {1, 4}, {2, 6, 2}}));
  EXPECT_EQ(compute_datatype_intervaled(split.below), (Repeats{{{{0, 1}, {4, 1}, {6, 2}}, 1, 0}}));
}

TEST(InplaceMapping, IntervalsOfFigure8) {
  const MappingList list{{0, 0}, {1, 8}, {2, 12}, {3, 14}, {4, 1}, {5, 9}, {6, 13}, {7, 15}};
  EXPECT_EQ(compute_datatype_intervaled(list),
            (Repeats{{{{0, 1}, {8, 1}, {12, 1}, {14, 1}}, 2, 1}}));
}

TEST(InplaceMapping, IntervalsOfOtherShapesStayApart) {
  // Two equal intervals, one that is not at the same distance, one of another shape.
  const MappingList list{{0, 0}, {1, 10}, {2, 2}, {3, 12}, {4, 5}, {5, 15}, {6, 1}};
  EXPECT_EQ(compute_datatype_intervaled(list),
            (Repeats{{{{0, 1}, {10, 1}}, 2, 2}, {{{5, 1}, {15, 1}}, 1, 0}, {{{1, 1}}, 1, 0}}));
  EXPECT_TRUE(compute_datatype_intervaled({}).empty());
}

TEST(InplaceMapping, SplitCutsRuns) {
  const SplitList split = split_list(MappingList{{0, 10, 5}, {2, 30, 6}, {9, 2, 1}}, 4);
  EXPECT_EQ(split.below, (MappingList{{0, 10, 4}, {2, 30, 2}}));
  EXPECT_EQ(split.from, (MappingList{{4, 14, 1}, {4, 32, 4}, {9, 2, 1}}));
}

TEST(InplaceMapping, SplitKeepsOrderOfRunsThatReachAcross) {
  const SplitList split = split_list(MappingList{{0, 50, 9}, {2, 30, 6}}, 4);
  EXPECT_EQ(split.from, (MappingList{{4, 32, 4}, {4, 54, 5}}));
}

TEST(InplaceMapping, OverlappingRunsAreSeparated) {
  // Run at 20 comes from the higher rank; it starts first in the file and must still win.
  const MappingList list{{0, 20, 5}, {3, 10, 4}};
  EXPECT_EQ(separate_overlaps(list), (MappingList{{0, 20, 3}, {3, 10, 2}, {3, 23, 2}, {5, 12, 2}}));
  const MappingList nested{{0, 10, 10}, {2, 30, 3}, {4, 20, 2}};
  EXPECT_EQ(separate_overlaps(nested), (MappingList{{0, 10, 2},
                                                    {2, 12, 2},
                                                    {2, 30, 2},
                                                    {4, 14, 1},
                                                    {4, 20, 1},
                                                    {4, 32, 1},
                                                    {5, 15, 1},
                                                    {5, 21, 1},
                                                    {6, 16, 4}}));
  const MappingList apart{{0, 20, 5}, {5, 10, 4}};
  EXPECT_EQ(separate_overlaps(apart), apart);
}

}  // namespace
}  // namespace tutti::inplace
