// Pack, unpack and interleave against memcpy and against the bandwidth of touching cache lines.
//
// `of_touch`: the time to read (pack) or write (unpack) one word of each cache line that the
// pattern lies in, divided by the time of the kernel. `of_memcpy`: the same with a memcpy of as
// many bytes as are packed. All times are processor time of this thread.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <random>
#include <vector>

#include "pattern/copy.hpp"
#include "pattern/copy_kernels.hpp"
#include "pattern/interleave.hpp"
#include "pattern/shapes.hpp"

namespace tutti {
namespace {

using pattern_detail::copy_kernels;
using pattern_detail::CopyKernels;
using pattern_detail::SimdLevel;

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kInCache = 256 << 10;
constexpr std::int64_t kInMemory = 256 << 20;

struct Free {
  void operator()(std::byte* at) const { std::free(at); }
};
using Bytes = std::unique_ptr<std::byte[], Free>;

Bytes make_bytes(std::int64_t bytes) {
  constexpr std::size_t kPage = 4096;
  const auto whole = (static_cast<std::size_t>(bytes) + kPage - 1) / kPage * kPage;
  auto* at = static_cast<std::byte*>(std::aligned_alloc(kPage, whole));
  std::memset(at, 1, whole);
  return Bytes(at);
}

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Act>
double best_seconds(const Act& act) {
  constexpr int kRepeats = 4;
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const double start = thread_seconds();
    for (int j = 0; j < kRepeats; ++j) {
      act();
      benchmark::ClobberMemory();
    }
    best = std::min(best, (thread_seconds() - start) / kRepeats);
  }
  return best;
}

double touch_seconds(std::byte* memory, std::int64_t bytes, std::int64_t step, bool reading) {
  const auto read = [&] {
    std::uint64_t sum = 0;
#pragma GCC unroll 8
    for (std::int64_t at = 0; at < bytes; at += step) {
      std::uint64_t word = 0;
      std::memcpy(&word, memory + at, sizeof word);
      sum += word;
    }
    benchmark::DoNotOptimize(sum);
  };
  const auto write = [&] {
    const std::uint64_t word = 7;
#pragma GCC unroll 8
    for (std::int64_t at = 0; at < bytes; at += step) std::memcpy(memory + at, &word, sizeof word);
  };
  return reading ? best_seconds(read) : best_seconds(write);
}

double memcpy_seconds(std::byte* to, const std::byte* from, std::int64_t bytes) {
  return best_seconds([&] { std::memcpy(to, from, static_cast<std::size_t>(bytes)); });
}

// Reports data bytes per second, and `reference` seconds as a share of the time taken.
void report(benchmark::State& state, std::int64_t bytes, const char* name, double reference) {
  state.SetBytesProcessed(state.iterations() * bytes);
  if (reference > 0)
    state.counters[name] =
        benchmark::Counter(reference, benchmark::Counter::kIsIterationInvariantRate);
}

void run_memcpy(benchmark::State& state) {
  const std::int64_t bytes = state.range(0);
  const Bytes from = make_bytes(bytes);
  const Bytes to = make_bytes(bytes);
  for (auto _ : state) {
    std::memcpy(to.get(), from.get(), static_cast<std::size_t>(bytes));
    benchmark::ClobberMemory();
  }
  report(state, bytes, "", 0);
}
BENCHMARK(run_memcpy)->Name("memcpy")->ArgName("bytes")->Arg(kInCache)->Arg(kInMemory);

// A pattern in memory of `span` bytes, and its packed bytes.
struct Strided {
  Pattern pattern;
  std::int64_t span = 0;
  Bytes memory = make_bytes(span);
  Bytes packed = make_bytes(pattern.size());

  void copy(benchmark::State& state, bool packing, const CopyKernels& kernels) const {
    const pattern_detail::StreamRange range{pattern, 0, pattern.size()};
    for (auto _ : state) {
      if (packing)
        pack_with(kernels, range, memory.get(), packed.get());
      else
        unpack_with(kernels, range, memory.get(), packed.get());
      benchmark::ClobberMemory();
    }
  }
};

void strided(benchmark::State& state, bool packing) {
  const std::int64_t width = state.range(0);
  const std::int64_t stride = state.range(1);
  const std::int64_t span = state.range(2);
  const Strided data{Pattern::repeat(span / stride, stride, Pattern::run(width)), span};
  const double touch = touch_seconds(data.memory.get(), span, std::max(stride, kLine), packing);
  data.copy(state, packing, copy_kernels());
  report(state, data.pattern.size(), "of_touch", touch);
}

void strided_cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"width", "stride", "span"});
  for (const std::int64_t span : {kInCache, kInMemory})
    for (const std::int64_t stride : {16, 64}) bench->Args({4, stride, span});
  for (const std::int64_t width : {1, 2, 4, 8, 16})
    for (const std::int64_t times : {2, 3, 4, 8}) bench->Args({width, width * times, kInCache});
  for (const std::int64_t width : {4, 64}) bench->Args({width, 4096, kInMemory});
}
BENCHMARK_CAPTURE(strided, pack, true)->Apply(strided_cases);
BENCHMARK_CAPTURE(strided, unpack, false)->Apply(strided_cases);

// A box out of a 4-D array of 8-byte elements whose innermost rows are short.
void box(benchmark::State& state, bool packing) {
  const std::int64_t inner = state.range(0);
  const std::vector<std::int64_t> full{8, 16, 32, 2 * inner};
  const std::vector<std::int64_t> sizes{6, 12, 24, inner};
  const std::vector<std::int64_t> starts{1, 2, 4, 1};
  const Strided data{subarray({full, sizes, starts}, Pattern::run(8), 8),
                     8 * 16 * 32 * 2 * inner * 8};
  const double plain = memcpy_seconds(data.packed.get(), data.memory.get(), data.pattern.size());
  data.copy(state, packing, copy_kernels());
  report(state, data.pattern.size(), "of_memcpy", plain);
}
BENCHMARK_CAPTURE(box, pack, true)->ArgName("inner")->Arg(1)->Arg(4)->Arg(16);
BENCHMARK_CAPTURE(box, unpack, false)->ArgName("inner")->Arg(1)->Arg(4)->Arg(16);

// 8-byte pieces at irregular distances.
void tuples(benchmark::State& state, bool packing) {
  const std::int64_t span = state.range(0);
  std::mt19937_64 random(1);
  std::vector<Extent> runs;
  for (std::int64_t at = 0; at + 8 <= span; at += 16 + static_cast<std::int64_t>(random() % 97))
    runs.push_back({at, 8});
  const Strided data{Pattern::tuples(runs), span};
  const double touch = touch_seconds(data.memory.get(), span, kLine, packing);
  data.copy(state, packing, copy_kernels());
  report(state, data.pattern.size(), "of_touch", touch);
}
BENCHMARK_CAPTURE(tuples, pack, true)->ArgName("span")->Arg(kInCache)->Arg(kInMemory);
BENCHMARK_CAPTURE(tuples, unpack, false)->ArgName("span")->Arg(kInCache)->Arg(kInMemory);

// A window of kInCache bytes from `first` on, and what each pattern has in it, packed.
class Window {
 public:
  Window(std::vector<Pattern> patterns, std::int64_t first)
      : patterns_(std::move(patterns)), first_(first) {
    std::byte* at = streams_.get();
    for (const Pattern& pattern : patterns_) {
      const std::int64_t begin = pattern.bytes_below(first);
      const std::int64_t end = pattern.bytes_below(first + kInCache);
      sources_.push_back({&pattern, begin, end, at});
      sinks_.push_back({&pattern, begin, end, at});
      at += end - begin;
    }
  }

  void copy(benchmark::State& state, bool packing, const CopyKernels& kernels) {
    const double plain = memcpy_seconds(window_.get(), streams_.get(), kInCache);
    for (auto _ : state) {
      if (packing)
        pack_many_with(kernels, sinks_, window_.get() - first_);
      else
        unpack_many_with(kernels, sources_, window_.get() - first_);
      benchmark::ClobberMemory();
    }
    report(state, kInCache, "of_memcpy", plain);
  }

 private:
  std::vector<Pattern> patterns_;
  std::int64_t first_;
  Bytes window_ = make_bytes(kInCache);
  Bytes streams_ = make_bytes(kInCache);
  std::vector<Source> sources_;
  std::vector<Sink> sinks_;
};

Window cyclic_window(std::int64_t ranks, std::int64_t block_bytes) {
  std::vector<Pattern> patterns;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    patterns.push_back(
        Pattern::tiled(Pattern::run(block_bytes, rank * block_bytes), ranks * block_bytes));
  return {std::move(patterns), 1000 * ranks * block_bytes};
}

void cyclic(benchmark::State& state, bool packing) {
  cyclic_window(state.range(0), state.range(1) * state.range(2))
      .copy(state, packing, copy_kernels());
}

void cyclic_cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"ranks", "block", "element"});
  for (const std::int64_t ranks : {2, 3, 4, 7, 16})
    for (const std::int64_t block : {1, 4, 16, 64, 512}) bench->Args({ranks, block, 4});
  for (const std::int64_t element : {1, 2, 8})
    for (const std::int64_t ranks : {2, 3, 4, 7, 16}) bench->Args({ranks, 1, element});
}
BENCHMARK_CAPTURE(cyclic, interleave, false)->Apply(cyclic_cases);
BENCHMARK_CAPTURE(cyclic, deinterleave, true)->Apply(cyclic_cases);

// Rows of 4-byte elements, each dealt out from rank 0 on.
void rows(benchmark::State& state, bool packing) {
  const std::int64_t ranks = state.range(0);
  const std::int64_t columns = state.range(1);
  std::vector<Pattern> patterns;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    patterns.push_back(Pattern::tiled(
        block_cyclic({.ranks = ranks, .rank = rank, .elements = columns, .element_bytes = 4}),
        columns * 4));
  Window(std::move(patterns), 0).copy(state, packing, copy_kernels());
}
void row_cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"ranks", "columns"})->ArgsProduct({{4, 16}, {50, 501, 2001, 16001}});
}
BENCHMARK_CAPTURE(rows, interleave, false)->Apply(row_cases);
BENCHMARK_CAPTURE(rows, deinterleave, true)->Apply(row_cases);

// Dealt out to four ranks in 8-byte pieces at random: nothing is regular.
void dealt(benchmark::State& state, bool packing) {
  std::mt19937_64 random(1);
  std::vector<std::vector<Extent>> runs(4);
  for (std::int64_t at = 0; at < kInCache; at += 8) runs[random() % 4].push_back({at, 8});
  std::vector<Pattern> patterns;
  for (const auto& list : runs) patterns.push_back(Pattern::tuples(list));
  Window(std::move(patterns), 0).copy(state, packing, copy_kernels());
}
BENCHMARK_CAPTURE(dealt, interleave, false);
BENCHMARK_CAPTURE(dealt, deinterleave, true);

// The instruction levels side by side.
const CopyKernels* kernels_of(benchmark::State& state) {
  const auto level = static_cast<SimdLevel>(state.range(0));
  if (level <= pattern_detail::best_simd_level()) return &copy_kernels(level);
  state.SkipWithError("not on this processor");
  return nullptr;
}

void level_strided(benchmark::State& state, bool packing) {
  const std::int64_t width = state.range(1);
  const std::int64_t stride = 4 * width;
  const Strided data{Pattern::repeat(kInCache / stride, stride, Pattern::run(width)), kInCache};
  const double touch = touch_seconds(data.memory.get(), kInCache, kLine, packing);
  if (const CopyKernels* kernels = kernels_of(state)) data.copy(state, packing, *kernels);
  report(state, data.pattern.size(), "of_touch", touch);
}
void level_cyclic(benchmark::State& state, bool packing) {
  if (const CopyKernels* kernels = kernels_of(state))
    cyclic_window(state.range(1), 4).copy(state, packing, *kernels);
}
void level_widths(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"level", "width"})->ArgsProduct({{0, 1, 2}, {1, 2, 4, 8, 16}});
}
void level_ranks(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"level", "ranks"})->ArgsProduct({{0, 1, 2}, {2, 3, 4, 7, 16}});
}
BENCHMARK_CAPTURE(level_strided, pack, true)->Apply(level_widths);
BENCHMARK_CAPTURE(level_strided, unpack, false)->Apply(level_widths);
BENCHMARK_CAPTURE(level_cyclic, interleave, false)->Apply(level_ranks);
BENCHMARK_CAPTURE(level_cyclic, deinterleave, true)->Apply(level_ranks);

}  // namespace
}  // namespace tutti
