#include "pattern/regions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "pattern/shapes.hpp"
#include "support/random_pattern.hpp"

namespace tutti {
namespace {

using testing::PatternMaker;

std::vector<Region> regions_of(const Pattern& pattern, Extent window, std::size_t limit = 100) {
  std::vector<Region> regions;
  append_regions(pattern, window, limit, regions);
  return regions;
}

TEST(Regions, VectorIsOneRegionHoweverLong) {
  const Pattern vector = Pattern::repeat(1'000'000'000, 16, Pattern::run(4));
  EXPECT_EQ(regions_of(vector, {0, 16'000'000'000}),
            (std::vector<Region>{{0, 999'999'999 * std::int64_t{16} + 4, 16}}));
  EXPECT_EQ(regions_of(vector, {1'000'001, 8192}),
            (std::vector<Region>{{1'000'001, 1'008'193, 16}}));
  EXPECT_EQ(regions_of(vector, {30, 20}), (std::vector<Region>{{32, 36, 1}, {48, 50, 1}}));
}

TEST(Regions, LongListsBecomeOneUnknownRegion) {
  std::vector<Extent> runs;
  for (std::int64_t i = 0; i < 1000; ++i) runs.push_back({i * i + i * 7, 3});
  const Pattern list = Pattern::tuples(runs);
  EXPECT_EQ(regions_of(list, {0, 2'000'000}, 100), (std::vector<Region>{{0, 1'004'997, 0}}));
  EXPECT_EQ(regions_of(list, {0, 100}, 100).size(), 8U);
}

// What the regions say of each byte must hold for the bytes themselves.
TEST(Regions, TrueForRandomPatterns) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    PatternMaker maker(seed);
    auto made = maker.ascending(3);
    if (maker.chance(50) && !made.pattern.empty()) {
      const std::int64_t stride = made.pattern.upper() - made.pattern.lower() + maker.below(5);
      const std::int64_t count = 1 + maker.below(9);
      const std::vector<std::int64_t> once = made.bytes;
      made.pattern = Pattern::repeat(count, stride, made.pattern);
      for (std::int64_t i = 1; i < count; ++i)
        for (const std::int64_t offset : once) made.bytes.push_back(offset + i * stride);
    }
    const auto holds = [&](std::int64_t offset) {
      return std::binary_search(made.bytes.begin(), made.bytes.end(), offset);
    };
    const Extent window{maker.below(made.pattern.upper() + 2), maker.below(400)};
    std::int64_t at = window.offset;
    const auto regions =
        regions_of(made.pattern, window, static_cast<std::size_t>(maker.below(40)));
    for (const Region& region : regions) {
      ASSERT_LE(at, region.begin);
      ASSERT_LT(region.begin, region.end);
      for (; at < region.begin; ++at) ASSERT_FALSE(holds(at)) << at;
      for (; at < region.end; ++at) {
        ASSERT_TRUE(region.period != 1 || holds(at)) << at;
        const bool compared = region.period > 1 && at + region.period < region.end;
        ASSERT_TRUE(!compared || holds(at) == holds(at + region.period)) << at;
      }
    }
    ASSERT_LE(at, std::max(window.end(), window.offset));
    for (; at < window.end(); ++at) ASSERT_FALSE(holds(at)) << at;
  }
}

}  // namespace
}  // namespace tutti
