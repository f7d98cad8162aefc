#include "pattern/shapes.hpp"

#include <gtest/gtest.h>

#include "pattern/blocks.hpp"
#include "support/random_pattern.hpp"

namespace tutti {
namespace {

std::vector<std::int64_t> bytes_of(const Pattern& pattern) {
  std::vector<std::int64_t> bytes;
  for_each_run(pattern, 0, pattern.size(), [&](Extent run) {
    for (std::int64_t i = 0; i < run.bytes; ++i) bytes.push_back(run.offset + i);
    return true;
  });
  return bytes;
}

// Visits all index tuples of an array in storage order.
template <class Visit>
void for_each_index(const std::vector<std::int64_t>& full, ArrayOrder order, const Visit& visit) {
  std::vector<std::int64_t> index(full.size(), 0);
  std::int64_t total = 1;
  for (const std::int64_t n : full) total *= n;
  for (std::int64_t linear = 0; linear < total; ++linear) {
    std::int64_t rest = linear;
    for (std::size_t p = 0; p < full.size(); ++p) {
      const std::size_t d = order == ArrayOrder::c ? full.size() - 1 - p : p;
      index[d] = rest % full[d];
      rest /= full[d];
    }
    visit(linear, index);
  }
}

TEST(Shapes, SubarrayMatchesItsDefinition) {
  for (int seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    testing::PatternMaker maker(seed);
    const auto dims = static_cast<std::size_t>(1 + maker.below(4));
    std::vector<std::int64_t> full, sizes, starts;
    for (std::size_t d = 0; d < dims; ++d) {
      full.push_back(1 + maker.below(6));
      sizes.push_back(1 + maker.below(full[d]));
      starts.push_back(maker.below(full[d] - sizes[d] + 1));
    }
    const auto order = maker.chance(50) ? ArrayOrder::c : ArrayOrder::fortran;
    std::vector<std::int64_t> expected;
    for_each_index(full, order, [&](std::int64_t linear, const auto& index) {
      for (std::size_t d = 0; d < dims; ++d)
        if (index[d] < starts[d] || index[d] >= starts[d] + sizes[d]) return;
      for (int b = 0; b < 3; ++b) expected.push_back(linear * 5 + b);
    });
    EXPECT_EQ(bytes_of(subarray({full, sizes, starts, order}, Pattern::run(3), 5)), expected);
  }
}

TEST(Shapes, DarraysOfAllRanksPartitionTheArray) {
  for (int seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    testing::PatternMaker maker(seed);
    const auto dims = static_cast<std::size_t>(1 + maker.below(3));
    std::vector<DarrayDim> shape;
    std::vector<std::int64_t> full;
    std::int64_t ranks = 1;
    for (std::size_t d = 0; d < dims; ++d) {
      DarrayDim dim;
      dim.full = 1 + maker.below(9);
      dim.distribution = static_cast<Distribution>(maker.below(3));
      if (dim.distribution != Distribution::none) dim.processes = 1 + maker.below(4);
      const std::int64_t even = (dim.full + dim.processes - 1) / dim.processes;
      if (dim.distribution == Distribution::block && maker.chance(50))
        dim.argument = even + maker.below(3);
      if (dim.distribution == Distribution::cyclic && maker.chance(60))
        dim.argument = 1 + maker.below(4);
      ranks *= dim.processes;
      full.push_back(dim.full);
      shape.push_back(dim);
    }
    const auto order = maker.chance(50) ? ArrayOrder::c : ArrayOrder::fortran;
    std::vector<std::vector<std::int64_t>> expected(static_cast<std::size_t>(ranks));
    for_each_index(full, order, [&](std::int64_t linear, const auto& index) {
      std::int64_t owner = 0;
      for (std::size_t d = 0; d < dims; ++d) {
        const DarrayDim& dim = shape[d];
        const std::int64_t even = (dim.full + dim.processes - 1) / dim.processes;
        std::int64_t coordinate = 0;
        if (dim.distribution == Distribution::block)
          coordinate = index[d] / (dim.argument > 0 ? dim.argument : even);
        if (dim.distribution == Distribution::cyclic)
          coordinate = index[d] / std::max<std::int64_t>(dim.argument, 1) % dim.processes;
        owner = owner * dim.processes + coordinate;
      }
      for (int b = 0; b < 2; ++b)
        expected[static_cast<std::size_t>(owner)].push_back(linear * 2 + b);
    });
    for (std::int64_t rank = 0; rank < ranks; ++rank)
      EXPECT_EQ(bytes_of(darray({shape, rank, order}, Pattern::run(2), 2)),
                expected[static_cast<std::size_t>(rank)]);
  }
}

TEST(Shapes, BlockCyclicIsARepetitionWhateverItsLength) {
  const Pattern small =
      block_cyclic({.ranks = 4, .rank = 1, .elements = 4096, .block = 2, .element_bytes = 4});
  EXPECT_EQ(small, Pattern::repeat(512, 32, Pattern::run(8)).shifted(8));
  const Pattern uneven =
      block_cyclic({.ranks = 3, .rank = 2, .elements = 17, .block = 2, .element_bytes = 1});
  EXPECT_EQ(bytes_of(uneven), (std::vector<std::int64_t>{4, 5, 10, 11, 16}));
  EXPECT_TRUE(
      block_cyclic({.ranks = 5, .rank = 4, .elements = 3, .block = 1, .element_bytes = 4}).empty());
}

}  // namespace
}  // namespace tutti
