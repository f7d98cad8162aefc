// Pack, unpack and interleave against memcpy and against the bandwidth of touching cache lines.
//
// `of_touch`: the time to read (pack) or write (unpack) one word of each cache line that the
// pattern lies in, divided by the time of the kernel. `of_memcpy`: the same with a memcpy of as
// many bytes as are packed, between buffers of the same sizes.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "pattern/copy.hpp"
#include "pattern/interleave.hpp"
#include "pattern/shapes.hpp"

namespace tutti {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kInCache = 256 << 10;
constexpr std::int64_t kInMemory = 256 << 20;

struct Free {
  void operator()(std::byte* at) const { std::free(at); }
};
using Bytes = std::unique_ptr<std::byte[], Free>;

Bytes make_bytes(std::int64_t bytes) {
  const auto whole = static_cast<std::size_t>((bytes + kLine - 1) / kLine * kLine);
  auto* at = static_cast<std::byte*>(std::aligned_alloc(4096, (whole + 4095) / 4096 * 4096));
  std::memset(at, 1, whole);
  return Bytes(at);
}

template <class Act>
double best_seconds(const Act& act) {
  double best = 1e9;
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    act();
    benchmark::ClobberMemory();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    best = std::min(best, passed.count());
  }
  return best;
}

void read_lines(const std::byte* memory, std::int64_t bytes) {
  std::uint64_t sum = 0;
  for (std::int64_t at = 0; at < bytes; at += kLine) {
    std::uint64_t word = 0;
    std::memcpy(&word, memory + at, sizeof word);
    sum += word;
  }
  benchmark::DoNotOptimize(sum);
}

void write_lines(std::byte* memory, std::int64_t bytes) {
  for (std::int64_t at = 0; at < bytes; at += kLine) {
    const std::uint64_t word = 7;
    std::memcpy(memory + at, &word, sizeof word);
  }
}

// Reports data bytes per second, and `reference` seconds as a share of the time taken.
void report(benchmark::State& state, std::int64_t bytes, const char* name, double reference) {
  state.SetBytesProcessed(state.iterations() * bytes);
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
  state.SetBytesProcessed(state.iterations() * bytes);
}
BENCHMARK(run_memcpy)->Name("memcpy")->ArgName("bytes")->Arg(kInCache)->Arg(kInMemory);

void run_strided(benchmark::State& state, bool packing) {
  const std::int64_t width = state.range(0);
  const std::int64_t stride = state.range(1);
  const std::int64_t span = state.range(2);
  const Pattern pattern = Pattern::repeat(span / stride, stride, Pattern::run(width));
  const Bytes memory = make_bytes(span);
  const Bytes packed = make_bytes(pattern.size());
  const double touch = best_seconds(
      [&] { packing ? read_lines(memory.get(), span) : write_lines(memory.get(), span); });
  for (auto _ : state) {
    if (packing)
      pack(pattern, memory.get(), 0, pattern.size(), packed.get());
    else
      unpack(pattern, memory.get(), 0, pattern.size(), packed.get());
    benchmark::ClobberMemory();
  }
  report(state, pattern.size(), "of_touch", touch);
}
void pack_strided(benchmark::State& state) { run_strided(state, true); }
void unpack_strided(benchmark::State& state) { run_strided(state, false); }

void strided_cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"width", "stride", "span"});
  for (const std::int64_t span : {kInCache, kInMemory})
    for (const std::int64_t stride : {16, 64}) bench->Args({4, stride, span});
  for (const std::int64_t width : {1, 2, 4, 8, 16})
    for (const std::int64_t times : {2, 3, 4, 8}) bench->Args({width, width * times, kInCache});
  for (const std::int64_t width : {4, 64}) bench->Args({width, 4096, kInMemory});
}
BENCHMARK(pack_strided)->Apply(strided_cases);
BENCHMARK(unpack_strided)->Apply(strided_cases);

// A box out of a 4-D array of 8-byte elements whose innermost rows are short.
void run_box(benchmark::State& state, bool packing) {
  const std::int64_t inner = state.range(0);
  const std::vector<std::int64_t> full{8, 16, 32, 2 * inner};
  const std::vector<std::int64_t> sizes{6, 12, 24, inner};
  const std::vector<std::int64_t> starts{1, 2, 4, 1};
  const Pattern pattern = subarray({full, sizes, starts}, Pattern::run(8), 8);
  const std::int64_t span = 8 * 16 * 32 * 2 * inner * 8;
  const Bytes memory = make_bytes(span);
  const Bytes packed = make_bytes(pattern.size());
  const double plain = best_seconds(
      [&] { std::memcpy(packed.get(), memory.get(), static_cast<std::size_t>(pattern.size())); });
  for (auto _ : state) {
    if (packing)
      pack(pattern, memory.get(), 0, pattern.size(), packed.get());
    else
      unpack(pattern, memory.get(), 0, pattern.size(), packed.get());
    benchmark::ClobberMemory();
  }
  report(state, pattern.size(), "of_memcpy", plain);
}
void pack_box(benchmark::State& state) { run_box(state, true); }
void unpack_box(benchmark::State& state) { run_box(state, false); }
BENCHMARK(pack_box)->ArgName("inner")->Arg(1)->Arg(4)->Arg(16);
BENCHMARK(unpack_box)->ArgName("inner")->Arg(1)->Arg(4)->Arg(16);

// 8-byte pieces at irregular distances.
void run_tuples(benchmark::State& state, bool packing) {
  const std::int64_t span = state.range(0);
  std::mt19937_64 random(1);
  std::vector<Extent> runs;
  for (std::int64_t at = 0; at + 8 <= span; at += 16 + static_cast<std::int64_t>(random() % 97))
    runs.push_back({at, 8});
  const Pattern pattern = Pattern::tuples(runs);
  const Bytes memory = make_bytes(span);
  const Bytes packed = make_bytes(pattern.size());
  const double touch = best_seconds(
      [&] { packing ? read_lines(memory.get(), span) : write_lines(memory.get(), span); });
  for (auto _ : state) {
    if (packing)
      pack(pattern, memory.get(), 0, pattern.size(), packed.get());
    else
      unpack(pattern, memory.get(), 0, pattern.size(), packed.get());
    benchmark::ClobberMemory();
  }
  report(state, pattern.size(), "of_touch", touch);
}
void pack_tuples(benchmark::State& state) { run_tuples(state, true); }
void unpack_tuples(benchmark::State& state) { run_tuples(state, false); }
BENCHMARK(pack_tuples)->ArgName("span")->Arg(kInCache)->Arg(kInMemory);
BENCHMARK(unpack_tuples)->ArgName("span")->Arg(kInCache)->Arg(kInMemory);

// A window of a file that is block-cyclic over `ranks`, and the ranks' packed streams.
void run_interleave(benchmark::State& state, bool packing) {
  const std::int64_t ranks = state.range(0);
  const std::int64_t block = state.range(1);
  const std::int64_t element = state.range(2);
  const std::int64_t first = 1000 * ranks * block * element;
  const Bytes window = make_bytes(kInCache);
  const Bytes streams = make_bytes(kInCache);
  std::vector<Pattern> patterns;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    patterns.push_back(Pattern::tiled(Pattern::run(block * element, rank * block * element),
                                      ranks * block * element));
  std::vector<Source> sources;
  std::vector<Sink> sinks;
  std::byte* at = streams.get();
  for (const Pattern& pattern : patterns) {
    const std::int64_t begin = pattern.bytes_below(first);
    const std::int64_t end = pattern.bytes_below(first + kInCache);
    sources.push_back({&pattern, begin, end, at});
    sinks.push_back({&pattern, begin, end, at});
    at += end - begin;
  }
  const double plain = best_seconds([&] { std::memcpy(window.get(), streams.get(), kInCache); });
  for (auto _ : state) {
    if (packing)
      pack_many(sinks, window.get() - first);
    else
      unpack_many(sources, window.get() - first);
    benchmark::ClobberMemory();
  }
  report(state, kInCache, "of_memcpy", plain);
}
void interleave(benchmark::State& state) { run_interleave(state, false); }
void deinterleave(benchmark::State& state) { run_interleave(state, true); }

void interleave_cases(benchmark::internal::Benchmark* bench) {
  bench->ArgNames({"ranks", "block", "element"});
  for (const std::int64_t ranks : {2, 3, 4, 7, 16})
    for (const std::int64_t block : {1, 4, 16, 64, 512}) bench->Args({ranks, block, 4});
  for (const std::int64_t element : {1, 2, 8})
    for (const std::int64_t ranks : {2, 3, 4, 7, 16}) bench->Args({ranks, 1, element});
}
BENCHMARK(interleave)->Apply(interleave_cases);
BENCHMARK(deinterleave)->Apply(interleave_cases);

}  // namespace
}  // namespace tutti
