#include "pattern/interleave.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "pattern/copy_kernels.hpp"
#include "pattern/shapes.hpp"
#include "support/guarded_bytes.hpp"
#include "support/random_pattern.hpp"

namespace tutti {
namespace {

using namespace pattern_detail;
using testing::GuardedBytes;
using testing::PatternMaker;

void fill(std::span<std::byte> bytes, std::uint64_t seed) {
  std::uint64_t x = seed * 0x9E3779B97F4A7C15 + 1;
  for (std::byte& byte : bytes) {
    x = x * 6364136223846793005 + 1442695040888963407;
    byte = static_cast<std::byte>(x >> 56);
  }
}

struct Part {
  Pattern pattern;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// The parts' streams one behind the other, the last one against an inaccessible page; the window
// likewise. Other streams take the last place in turn: no kernel may read beyond any of them.
class Bench {
 public:
  // Returns an empty string, or what went wrong on which level.
  std::string check(std::span<const Part> parts) {
    offsets_.assign(parts.size(), {});
    low_ = INT64_MAX;
    high_ = INT64_MIN;
    total_ = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      for (std::int64_t k = parts[i].begin; k < parts[i].end; ++k) {
        offsets_[i].push_back(parts[i].pattern.offset_of(k));
        low_ = std::min(low_, offsets_[i].back());
        high_ = std::max(high_, offsets_[i].back() + 1);
        ++total_;
      }
    }
    if (total_ == 0) return "";
    for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
      if (level > best_simd_level()) break;
      for (std::size_t last = 0; last < parts.size(); last += 1 + parts.size() / 2)
        if (std::string wrong = check_once(parts, copy_kernels(level), last); !wrong.empty())
          return "level " + std::to_string(static_cast<int>(level)) + ": " + wrong;
    }
    return "";
  }

 private:
  std::string check_once(std::span<const Part> parts, const CopyKernels& kernels,
                         std::size_t last) {
    const auto window = window_.at_end(high_ - low_);
    std::byte* const base = window.data() - low_;
    const auto packed = packed_.at_end(total_);
    std::vector<std::byte*> starts(parts.size());
    std::byte* at = packed.data();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::size_t which = (last + 1 + i) % parts.size();
      starts[which] = at;
      at += parts[which].end - parts[which].begin;
    }

    fill(window, 1);
    fill(packed, 2);
    std::vector<std::byte> expected(window.begin(), window.end());
    std::vector<Source> sources;
    std::vector<Sink> sinks;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      sources.push_back({&parts[i].pattern, parts[i].begin, parts[i].end, starts[i]});
      sinks.push_back({&parts[i].pattern, parts[i].begin, parts[i].end, starts[i]});
      for (std::size_t k = 0; k < offsets_[i].size(); ++k)
        expected[static_cast<std::size_t>(offsets_[i][k] - low_)] = starts[i][k];
    }
    unpack_many_with(kernels, sources, base);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (window[i] != expected[i]) return "window byte " + std::to_string(i);

    fill(packed, 3);
    pack_many_with(kernels, sinks, base);
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t k = 0; k < offsets_[i].size(); ++k)
        if (starts[i][k] != expected[static_cast<std::size_t>(offsets_[i][k] - low_)])
          return "stream " + std::to_string(i) + " byte " + std::to_string(k);
    if (!std::ranges::equal(window, expected)) return "pack_many changed the window";
    return "";
  }

  std::vector<std::vector<std::int64_t>> offsets_;
  std::int64_t low_ = 0;
  std::int64_t high_ = 0;
  std::int64_t total_ = 0;
  GuardedBytes window_{1 << 20};
  GuardedBytes packed_{1 << 20};
};

// What each rank's block-cyclic stream has in [low, high).
std::vector<Part> parts_of_window(const BlockCyclic& shape, std::int64_t low, std::int64_t high) {
  std::vector<Part> parts;
  for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
    BlockCyclic one = shape;
    one.rank = rank;
    const Pattern pattern = block_cyclic(one);
    parts.push_back({pattern, pattern.bytes_below(low), pattern.bytes_below(high)});
  }
  return parts;
}

TEST(Interleave, BlockCyclicWindows) {
  Bench bench;
  PatternMaker maker(1);
  for (const std::int64_t element : {1, 2, 3, 4, 8, 12, 16})
    for (const std::int64_t block : {1, 4, 33})
      for (const std::int64_t ranks : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33}) {
        const std::int64_t elements = std::max<std::int64_t>(3000, 9 * block * ranks);
        const std::int64_t bytes = elements * element;
        for (const bool whole : {true, false}) {
          const std::int64_t low = whole ? 0 : maker.below(bytes / 3);
          const std::int64_t high = whole ? bytes : bytes - maker.below(bytes / 3);
          const auto parts = parts_of_window(
              {.ranks = ranks, .elements = elements, .block = block, .element_bytes = element}, low,
              high);
          ASSERT_EQ(bench.check(parts), "")
              << "element " << element << ", block " << block << ", ranks " << ranks << ", window "
              << low << " to " << high;
        }
      }
}

// Strided streams with any slots: holes, neighbours in any order, overlaps, other lengths.
TEST(Interleave, StridedStreamsWithAnySlots) {
  Bench bench;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    PatternMaker maker(seed);
    const std::int64_t width = std::int64_t{1} << maker.below(6);
    const std::int64_t slots = 2 + maker.below(24);
    const bool overlap = maker.chance(20);
    std::vector<std::int64_t> order(static_cast<std::size_t>(slots));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[static_cast<std::size_t>(maker.below(std::ssize(order)))]);
    const std::int64_t used = 1 + maker.below(slots);
    const std::int64_t stride = slots * width + (maker.chance(30) ? maker.below(20) : 0);
    std::vector<Part> parts;
    for (std::int64_t i = 0; i < used; ++i) {
      std::int64_t at = order[static_cast<std::size_t>(i)] * width;
      if (overlap && maker.chance(30)) at += maker.below(width + 1);
      const std::int64_t bytes = overlap && maker.chance(10) ? width + 1 : width;
      const std::int64_t count = 60 + maker.below(200);
      const Pattern pattern =
          Pattern::repeat(count, stride, Pattern::run(bytes)).shifted(at - 1000);
      const std::int64_t begin = maker.chance(40) ? maker.below(3 * width) : 0;
      const std::int64_t end = pattern.size() - (maker.chance(40) ? maker.below(9 * width) : 0);
      parts.push_back({pattern, begin, std::max(begin, end)});
    }
    ASSERT_EQ(bench.check(parts), "") << "seed " << seed;
  }
}

// Equal runs and strides from anywhere on: later starts, wrapped slots, full and partial overlaps.
TEST(Interleave, OverlappingStridedStreamsTheLastOneWins) {
  Bench bench;
  for (std::uint64_t seed = 0; seed < 700; ++seed) {
    PatternMaker maker(seed);
    const std::int64_t width = std::int64_t{1} << maker.below(5);
    const std::int64_t stride = width * (1 + maker.below(6)) + maker.below(3);
    std::vector<Part> parts;
    for (std::int64_t n = 2 + maker.below(3); n > 0; --n) {
      const std::int64_t at = maker.below(maker.chance(50) ? stride : 200 * stride);
      const Pattern pattern =
          Pattern::repeat(300 + maker.below(1500), stride, Pattern::run(width)).shifted(at);
      parts.push_back({pattern, 0, pattern.size()});
    }
    ASSERT_EQ(bench.check(parts), "") << "seed " << seed;
  }
}

TEST(Interleave, RowsOfACyclicMatrix) {
  Bench bench;
  for (const std::int64_t columns : {64, 301, 2048}) {
    std::vector<Part> parts;
    for (std::int64_t rank = 0; rank < 5; ++rank) {
      const Pattern row = block_cyclic(
          {.ranks = 5, .rank = rank, .elements = columns, .block = 1, .element_bytes = 4});
      const Pattern all = Pattern::repeat(9, columns * 4 + 24, row);
      parts.push_back({all, 4 * rank, all.size() - 8 * rank});
    }
    ASSERT_EQ(bench.check(parts), "") << "columns " << columns;
  }
}

TEST(Interleave, AnyPatternsTheLastOneWins) {
  Bench bench;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    PatternMaker maker(seed);
    const bool ascending = maker.chance(70);
    std::vector<Part> parts;
    for (std::int64_t n = 1 + maker.below(5); n > 0; --n) {
      Pattern pattern = ascending ? maker.ascending(2).pattern : maker.any(2).pattern;
      if (pattern.empty()) continue;
      const std::int64_t span = pattern.upper() - pattern.lower();
      pattern = Pattern::repeat(1 + maker.below(40), span + maker.below(9), pattern);
      const std::int64_t begin = maker.below(pattern.size());
      parts.push_back({pattern, begin, begin + maker.below(pattern.size() - begin + 1)});
    }
    ASSERT_EQ(bench.check(parts), "") << "seed " << seed;
  }
}

// Pieces so far apart that parts of the window have to grow.
TEST(Interleave, SparseStreams) {
  std::vector<std::byte> window(40 << 20), packed(3 * 8 * 1000);
  fill(packed, 5);
  std::vector<Pattern> patterns;
  std::vector<Source> sources;
  for (std::int64_t i = 0; i < 3; ++i)
    patterns.push_back(Pattern::repeat(1000, 40'000 - i, Pattern::run(8)).shifted(i * 5000));
  for (std::size_t i = 0; i < 3; ++i)
    sources.push_back({&patterns[i], 0, 8000, packed.data() + 8000 * i});
  unpack_many(sources, window.data());
  std::vector<std::byte> again(packed.size());
  std::vector<Sink> sinks;
  for (std::size_t i = 0; i < 3; ++i)
    sinks.push_back({&patterns[i], 0, 8000, again.data() + 8000 * i});
  pack_many(sinks, window.data());
  EXPECT_EQ(again, packed);
}

}  // namespace
}  // namespace tutti
