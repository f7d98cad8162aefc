#include "convert/swap_bytes.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "support/seed.hpp"

namespace tutti {
namespace {

std::vector<std::byte> random_bytes(std::mt19937_64& random, std::int64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

std::vector<std::byte> byte_by_byte(std::int64_t width, const std::byte* from, std::int64_t bytes) {
  std::vector<std::byte> swapped;
  for (std::int64_t i = 0; i < bytes; ++i)
    swapped.push_back(from[i / width * width + width - 1 - i % width]);
  return swapped;
}

std::vector<SwapLevel> levels() {
  std::vector<SwapLevel> all;
  for (const SwapLevel level : {SwapLevel::portable, SwapLevel::ssse3, SwapLevel::avx2})
    if (level <= best_swap_level()) all.push_back(level);
  return all;
}

TEST(SwapBytes, EveryLevelSwapsLikeByteByByte) {
  std::mt19937_64 random(test::test_seed("swap bytes", 7));
  for (const SwapLevel level : levels())
    for (const std::int64_t width : {1, 2, 4, 8, 16})
      for (std::int64_t count = 0; count < 150; ++count) {
        const std::int64_t skew = static_cast<std::int64_t>(random() % 17);
        const std::int64_t bytes = width * count;
        const auto from = random_bytes(random, skew + bytes);
        std::vector<std::byte> to(static_cast<std::size_t>(bytes) + 8, std::byte{0x5a});
        swap_bytes(level, width, count, from.data() + skew, to.data());
        auto expected = byte_by_byte(width, from.data() + skew, bytes);
        expected.resize(to.size(), std::byte{0x5a});  // nothing is written beyond the end
        ASSERT_EQ(to, expected) << "level " << static_cast<int>(level) << " width " << width
                                << " count " << count;
      }
}

TEST(SwapBytes, InPlace) {
  std::mt19937_64 random(test::test_seed("swap bytes", 7));
  for (const SwapLevel level : levels())
    for (const std::int64_t width : {1, 2, 4, 8, 16}) {
      auto bytes = random_bytes(random, width * 77);
      const auto expected = byte_by_byte(width, bytes.data(), width * 77);
      swap_bytes(level, width, 77, bytes.data(), bytes.data());
      EXPECT_EQ(bytes, expected);
    }
}

TEST(SwapBytes, TheChosenLevelAgrees) {
  std::mt19937_64 random(test::test_seed("swap bytes", 7));
  for (const std::int64_t width : {1, 2, 4, 8, 16})
    for (const std::int64_t count : {1, 3, 8, 1001}) {
      const auto from = random_bytes(random, width * count);
      std::vector<std::byte> to(from.size());
      swap_bytes(width, count, from.data(), to.data());
      EXPECT_EQ(to, byte_by_byte(width, from.data(), width * count));
    }
}

}  // namespace
}  // namespace tutti
