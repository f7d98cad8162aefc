#include "convert/external32.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/seed.hpp"

namespace tutti {
namespace {

TEST(External32, SizesOfTheStandard) {
  const auto file_bytes = [](Meaning meaning, std::int64_t memory) {
    return external32_kind(meaning, memory).value_or(ElementKind{}).file_bytes;
  };
  EXPECT_EQ(file_bytes(Meaning::bytes, 1), 1);
  EXPECT_EQ(file_bytes(Meaning::wide_character, 4), 2);
  for (const int width : {1, 2, 4, 8, 16}) EXPECT_EQ(file_bytes(Meaning::integer, width), width);
  for (const int width : {2, 4, 8, 16}) EXPECT_EQ(file_bytes(Meaning::ieee, width), width);
  EXPECT_EQ(file_bytes(Meaning::long_double, sizeof(long double)), 16);
  EXPECT_FALSE(external32_kind(Meaning::integer, 3));
  EXPECT_FALSE(external32_kind(Meaning::long_double, 4));
}

TEST(External32, NumbersAreBigEndian) {
  const std::uint32_t values[] = {0x01020304, 0xfffefdfc};
  std::byte file[8] = {};
  const ElementKind kind = *external32_kind(Meaning::integer, 4);
  ASSERT_TRUE(to_external32(kind, 2, reinterpret_cast<const std::byte*>(values), file));
  const unsigned char expected[] = {1, 2, 3, 4, 0xff, 0xfe, 0xfd, 0xfc};
  EXPECT_EQ(std::memcmp(file, expected, 8), 0);
  std::uint32_t back[2] = {};
  from_external32(kind, 2, file, reinterpret_cast<std::byte*>(back));
  EXPECT_EQ(std::memcmp(back, values, 8), 0);
}

std::vector<unsigned char> quad_of(long double value) {
  std::vector<unsigned char> file(16);
  const ElementKind kind = *external32_kind(Meaning::long_double, sizeof value);
  EXPECT_TRUE(to_external32(kind, 1, reinterpret_cast<const std::byte*>(&value),
                            reinterpret_cast<std::byte*>(file.data())));
  return file;
}

// Sign, 15 bits of exponent, 112 bits of fraction, by arithmetic alone.
std::vector<unsigned char> quad_by_hand(long double value) {
  std::vector<unsigned char> file(16);
  int exponent = 0;
  long double fraction = std::frexp(std::fabs(value), &exponent) * 2 - 1;  // 1.f * 2^(exponent-1)
  const int biased = exponent - 1 + 16383;
  file[0] = static_cast<unsigned char>((std::signbit(value) ? 0x80 : 0) | biased >> 8);
  file[1] = static_cast<unsigned char>(biased & 0xff);
  for (std::size_t i = 2; i < 16; ++i) {
    fraction *= 256;
    file[i] = static_cast<unsigned char>(fraction);
    fraction -= std::floor(fraction);
  }
  return file;
}

TEST(External32, LongDoublesAreIeeeQuads) {
  std::mt19937_64 random(test::test_seed("external32", 7));
  EXPECT_EQ(quad_of(1.0L),
            (std::vector<unsigned char>{0x3f, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(quad_of(-2.0L),
            (std::vector<unsigned char>{0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  for (int i = 0; i < 5000; ++i) {
    const auto bits = static_cast<long double>(random() | 1);
    const long double value =
        std::ldexp(bits, static_cast<int>(random() % 8000) - 4000) * (random() % 2 == 0 ? 1 : -1);
    ASSERT_EQ(quad_of(value), quad_by_hand(value)) << value;
  }
}

TEST(External32, LongDoublesComeBack) {
  using Limits = std::numeric_limits<long double>;
  for (const long double value :
       {0.0L, -0.0L, 1.0L / 3, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min(),
        Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    const auto file = quad_of(value);
    alignas(long double) std::byte memory[sizeof value];
    std::memset(memory, 0xee, sizeof memory);
    from_external32(*external32_kind(Meaning::long_double, sizeof value), 1,
                    reinterpret_cast<const std::byte*>(file.data()), memory);
    long double back = 0;
    std::memcpy(&back, memory, sizeof back);
    EXPECT_EQ(std::isnan(back), std::isnan(value));
    EXPECT_TRUE(std::isnan(value) || back == value) << value;
    EXPECT_EQ(std::signbit(back), std::signbit(value));
    EXPECT_TRUE(Limits::digits != 64 || memory[15] == std::byte{0});  // no stale bytes in padding
  }
}

TEST(External32, WideCharactersHaveTwoBytes) {
  const ElementKind kind = *external32_kind(Meaning::wide_character, 4);
  const std::uint32_t text[] = {'A', 0x20ac, 0xffff};
  std::byte file[6] = {};
  ASSERT_TRUE(to_external32(kind, 3, reinterpret_cast<const std::byte*>(text), file));
  const unsigned char expected[] = {0, 'A', 0x20, 0xac, 0xff, 0xff};
  EXPECT_EQ(std::memcmp(file, expected, 6), 0);
  std::uint32_t back[3] = {};
  from_external32(kind, 3, file, reinterpret_cast<std::byte*>(back));
  EXPECT_EQ(std::memcmp(back, text, sizeof text), 0);

  const std::uint32_t clef = 0x1d11e;
  const auto refused = to_external32(kind, 1, reinterpret_cast<const std::byte*>(&clef), file);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::conversion);
}

}  // namespace
}  // namespace tutti
