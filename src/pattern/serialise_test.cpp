#include "pattern/serialise.hpp"

#include <gtest/gtest.h>

#include "pattern/shapes.hpp"
#include "support/random_pattern.hpp"

namespace tutti {
namespace {

TEST(Serialise, RoundTripsRandomPatterns) {
  for (int seed = 0; seed < 20'000; ++seed) {
    SCOPED_TRACE(seed);
    testing::PatternMaker maker(seed);
    const Pattern pattern = maker.any(4).pattern;
    std::vector<std::byte> bytes;
    serialise(pattern, bytes);
    const std::size_t length = bytes.size();
    bytes.push_back(std::byte{42});
    std::span<const std::byte> rest(bytes);
    const auto back = deserialise(rest);
    ASSERT_TRUE(back.has_value());
    EXPECT_EQ(*back, pattern);
    EXPECT_EQ(bytes.size() - rest.size(), length);
  }
}

TEST(Serialise, RegularPatternsTakeSomeDozenBytes) {
  std::vector<std::byte> bytes;
  serialise(
      block_cyclic({.ranks = 16, .rank = 3, .elements = 1 << 30, .block = 1, .element_bytes = 4}),
      bytes);
  EXPECT_LE(bytes.size(), 24U);
}

TEST(Serialise, CutOrRandomInputIsRefusedOrHarmless) {
  for (int seed = 0; seed < 50'000; ++seed) {
    testing::PatternMaker maker(seed);
    std::vector<std::byte> bytes;
    if (maker.chance(70)) serialise(maker.any(3).pattern, bytes);
    for (std::int64_t n = maker.below(4); n > 0 && !bytes.empty(); --n)
      bytes[static_cast<std::size_t>(maker.below(std::ssize(bytes)))] =
          static_cast<std::byte>(maker.below(256));
    if (maker.chance(30))
      bytes.resize(static_cast<std::size_t>(maker.below(std::ssize(bytes) + 20)));
    std::span<const std::byte> rest(bytes);
    const auto pattern = deserialise(rest);
    if (!pattern) {
      EXPECT_EQ(pattern.error().kind, ErrorKind::invalid_argument);
      continue;
    }
    EXPECT_GE(pattern->size(), 0);
    EXPECT_LE(pattern->lower(), pattern->upper());
  }
}

}  // namespace
}  // namespace tutti
