#include "pattern/copy.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "pattern/copy_kernels.hpp"
#include "support/guarded_bytes.hpp"
#include "support/random_pattern.hpp"

namespace tutti {
namespace {

using namespace pattern_detail;
using testing::GuardedBytes;
using testing::PatternMaker;
using testing::RandomPattern;

std::vector<SimdLevel> levels() {
  std::vector<SimdLevel> all;
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512})
    if (level <= best_simd_level()) all.push_back(level);
  return all;
}

void fill(std::span<std::byte> bytes, std::uint64_t seed) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15 + 1;
  for (std::byte& byte : bytes) {
    x = x * 6364136223846793005 + 1442695040888963407;
    byte = static_cast<std::byte>(x >> 56);
  }
}

std::vector<std::byte> copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::ranges::equal(a, b);
}

// Offset of each stream byte of a plane: the reference.
std::vector<std::int64_t> bytes_of(const Plane& plane) {
  std::vector<std::int64_t> bytes;
  for (std::int64_t i = 0; i < plane.rows; ++i)
    for (std::int64_t j = 0; j < plane.count; ++j)
      for (std::int64_t b = 0; b < plane.bytes; ++b)
        bytes.push_back(i * plane.row_stride + j * plane.stride + b);
  return bytes;
}

// Two buffers, each against an inaccessible page at its end or start, with everything between the
// lowest and the highest byte of the pattern in the first one.
class Arena {
 public:
  // Returns an empty string, or what went wrong.
  template <class Pack, class Unpack>
  std::string check(std::span<const std::int64_t> bytes, bool at_end, const Pack& pack_bytes,
                    const Unpack& unpack_bytes) {
    const auto [low, high] = std::ranges::minmax(bytes);
    const auto total = static_cast<std::int64_t>(bytes.size());
    const auto memory = at_end ? memory_.at_end(high - low + 1) : memory_.at_start(high - low + 1);
    const auto packed = at_end ? packed_.at_end(total) : packed_.at_start(total);
    std::byte* const base = memory.data() - low;
    fill(memory, 1);
    fill(packed, 2);
    const auto before = copy_of(memory);
    pack_bytes(base, packed.data());
    for (std::size_t k = 0; k < bytes.size(); ++k)
      if (packed[k] != before[static_cast<std::size_t>(bytes[k] - low)])
        return "packed byte " + std::to_string(k);
    if (!same_bytes(memory, before)) return "pack changed its source";

    fill(packed, 3);
    auto expected = before;
    for (std::size_t k = 0; k < bytes.size(); ++k)
      expected[static_cast<std::size_t>(bytes[k] - low)] = packed[k];
    const auto stream = copy_of(packed);
    unpack_bytes(base, packed.data());
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (memory[i] != expected[i]) return "unpacked offset " + std::to_string(i);
    if (!same_bytes(packed, stream)) return "unpack changed its source";
    return "";
  }

 private:
  GuardedBytes memory_{1 << 19};
  GuardedBytes packed_{1 << 18};
};

std::string check_plane(Arena& arena, SimdLevel level, const Plane& plane, bool at_end) {
  const CopyKernels& kernels = copy_kernels(level);
  return arena.check(
      bytes_of(plane), at_end,
      [&](std::byte* memory, std::byte* packed) { kernels.gather(plane, memory, packed); },
      [&](std::byte* memory, std::byte* packed) { kernels.scatter(plane, packed, memory); });
}

TEST(CopyKernels, EveryWidthAndStride) {
  Arena arena;
  for (const std::int64_t bytes :
       {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 48, 63, 64, 65, 100, 128, 129, 300})
    for (const std::int64_t stride :
         {bytes, bytes + 1, bytes + 3, 2 * bytes, 3 * bytes, 4 * bytes, 8 * bytes, std::int64_t{16},
          std::int64_t{61}, std::int64_t{64}, std::int64_t{0}, bytes / 2, -bytes, -2 * bytes,
          -3 * bytes - 1})
      for (const std::int64_t count : {1, 2, 3, 4, 5, 15, 16, 17, 33, 64, 150})
        for (const SimdLevel level : levels())
          for (const bool at_end : {false, true}) {
            const Plane plane{.bytes = bytes, .count = count, .stride = stride};
            ASSERT_EQ(check_plane(arena, level, plane, at_end), "")
                << "level " << static_cast<int>(level) << ", bytes " << bytes << ", stride "
                << stride << ", count " << count << ", at end " << at_end;
          }
}

TEST(CopyKernels, AnyPlane) {
  Arena arena;
  EXPECT_TRUE(rc::check("planes agree with a loop over bytes", [&arena] {
    for (int i = 0; i < 40; ++i) {
      Plane plane;
      plane.bytes = *rc::gen::element<std::int64_t>(1, 2, 3, 4, 6, 8, 12, 16, 20, 40);
      plane.count = *rc::gen::inRange<std::int64_t>(1, 40);
      plane.stride = *rc::gen::inRange<std::int64_t>(-40, 90);
      plane.rows = *rc::gen::inRange<std::int64_t>(1, 9);
      const std::int64_t span = (plane.count - 1) * plane.stride + plane.bytes;
      plane.row_stride = span + *rc::gen::inRange<std::int64_t>(-100, 200);
      const bool at_end = *rc::gen::arbitrary<bool>();
      for (const SimdLevel level : levels())
        RC_ASSERT(check_plane(arena, level, plane, at_end) == "");
    }
  }));
}

std::string check_pattern(Arena& arena, SimdLevel level, const RandomPattern& made,
                          std::int64_t begin, std::int64_t end, bool at_end) {
  const CopyKernels& kernels = copy_kernels(level);
  const StreamRange range{made.pattern, begin, end};
  const auto first = static_cast<std::size_t>(begin);
  return arena.check(
      std::span(made.bytes).subspan(first, static_cast<std::size_t>(end - begin)), at_end,
      [&](std::byte* memory, std::byte* packed) { pack_with(kernels, range, memory, packed); },
      [&](std::byte* memory, std::byte* packed) { unpack_with(kernels, range, memory, packed); });
}

// `made` repeated, so that inner loops run long enough for vectors.
RandomPattern repeated(const RandomPattern& made, std::int64_t count, std::int64_t stride) {
  RandomPattern out{Pattern::repeat(count, stride, made.pattern), {}};
  for (std::int64_t i = 0; i < count; ++i)
    for (const std::int64_t offset : made.bytes) out.bytes.push_back(offset + i * stride);
  return out;
}

TEST(Copy, AnyRangeOfAnyPattern) {
  Arena arena;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    PatternMaker maker(seed);
    RandomPattern made = maker.any(static_cast<int>(maker.below(4)));
    if (made.bytes.empty()) continue;
    const std::int64_t count = 1 + maker.below(30);
    if (made.pattern.size() * count < 10'000) made = repeated(made, count, maker.below(200) - 60);
    const std::int64_t size = made.pattern.size();
    for (int i = 0; i < 4; ++i) {
      const std::int64_t begin = i == 0 ? 0 : maker.below(size);
      const std::int64_t end = i == 0 ? size : begin + 1 + maker.below(size - begin);
      for (const SimdLevel level : levels())
        ASSERT_EQ(check_pattern(arena, level, made, begin, end, i % 2 == 0), "")
            << "seed " << seed << ", level " << static_cast<int>(level) << ", range " << begin
            << " to " << end;
    }
  }
}

TEST(Copy, EveryRangeOfNestedRepeatsAndLists) {
  Arena arena;
  PatternMaker maker(1);
  RandomPattern run{Pattern::run(4), {0, 1, 2, 3}};
  RandomPattern list{Pattern::tuples(std::vector<Extent>{{0, 2}, {7, 2}, {5, 2}, {20, 8}, {31, 1}}),
                     {0, 1, 7, 8, 5, 6, 20, 21, 22, 23, 24, 25, 26, 27, 31}};
  for (const RandomPattern& made :
       {repeated(repeated(run, 5, 12), 4, 70), repeated(repeated(run, 3, -8), 5, 64),
        repeated(repeated(repeated(run, 2, 8), 3, 20), 3, 100), repeated(list, 4, 40)})
    for (std::int64_t begin = 0; begin < made.pattern.size(); ++begin)
      for (std::int64_t end = begin + 1; end <= made.pattern.size(); ++end)
        for (const SimdLevel level : levels())
          ASSERT_EQ(check_pattern(arena, level, made, begin, end, end % 2 == 0), "")
              << "level " << static_cast<int>(level) << ", range " << begin << " to " << end;
}

TEST(Copy, LongIrregularLists) {
  Arena arena;
  for (const bool equal : {true, false}) {
    std::mt19937_64 random(equal);
    std::vector<Extent> runs;
    RandomPattern made;
    std::int64_t at = 0;
    for (int i = 0; i < 3000; ++i) {
      const auto bytes = equal ? 8 : static_cast<std::int64_t>(1 + random() % 20);
      at += static_cast<std::int64_t>(1 + random() % 30);
      runs.push_back({at, bytes});
      for (std::int64_t b = 0; b < bytes; ++b) made.bytes.push_back(at + b);
      at += bytes;
    }
    made.pattern = Pattern::tuples(runs);
    for (const std::int64_t begin : {0, 3, 8, 11, 8001})
      for (const std::int64_t cut : {0, 1, 8, 13, 7999})
        EXPECT_EQ(
            check_pattern(arena, SimdLevel::portable, made, begin, made.pattern.size() - cut, true),
            "");
  }
}

TEST(Copy, NothingIsCopiedForAnEmptyRange) {
  pack(Pattern{}, nullptr, 0, 0, nullptr);
  unpack(Pattern::run(5), nullptr, 3, 3, nullptr);
}

TEST(Copy, AbsoluteAddressesCountFromNull) {
  std::vector<std::byte> memory(100), packed(40);
  fill(memory, 7);
  const auto at = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory.data()));
  const Pattern pattern = Pattern::repeat(10, 10, Pattern::run(4)).shifted(at);
  pack(pattern, nullptr, 0, 40, packed.data());
  for (std::size_t k = 0; k < 40; ++k) EXPECT_EQ(packed[k], memory[k / 4 * 10 + k % 4]);
}

}  // namespace
}  // namespace tutti
