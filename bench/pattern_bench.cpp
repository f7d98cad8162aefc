// Rank (bytes_below) and select (offset_of) on large patterns, and what building them costs.
#include "pattern/pattern.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "base/extent.hpp"

namespace {

using tutti::Extent;
using tutti::Pattern;

constexpr std::int64_t kBlocks = 1'000'000;
constexpr std::int64_t kBlockBytes = 4;
constexpr std::int64_t kStride = 16;

Pattern vector_pattern() {
  return Pattern::repeat(16 * kBlocks, kStride, Pattern::run(kBlockBytes));
}

std::vector<Extent> equidistant_runs() {
  std::vector<Extent> runs;
  for (std::int64_t i = 0; i < kBlocks; ++i) runs.push_back({i * kStride, kBlockBytes});
  return runs;
}

// One million equidistant blocks spelled out, as MPI_Type_indexed does.
Pattern indexed_pattern() { return Pattern::tuples(equidistant_runs()); }

Pattern irregular_pattern() {
  std::mt19937_64 random(1);
  std::vector<Extent> runs;
  std::int64_t at = 0;
  for (std::int64_t i = 0; i < kBlocks; ++i) {
    runs.push_back({at, kBlockBytes});
    at += kBlockBytes * (1 + static_cast<std::int64_t>(random() % 8));
  }
  return Pattern::tuples(runs);
}

std::vector<std::int64_t> places(std::int64_t below) {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> places(4096);
  for (std::int64_t& place : places)
    place = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(below));
  return places;
}

void select(benchmark::State& state, Pattern (*make)()) {
  const Pattern pattern = make();
  const auto where = places(pattern.size());
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(pattern.offset_of(where[i++ % where.size()]));
}

void rank(benchmark::State& state, Pattern (*make)()) {
  const Pattern pattern = make();
  const auto where = places(pattern.upper());
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(pattern.bytes_below(where[i++ % where.size()]));
}

void recognise_indexed(benchmark::State& state) {
  const auto runs = equidistant_runs();
  bool regular = true;
  for (auto _ : state) {
    const Pattern found = Pattern::tuples(runs);
    regular &= found == Pattern::repeat(kBlocks, kStride, Pattern::run(kBlockBytes));
  }
  state.counters["regular"] = regular ? 1 : 0;
}

BENCHMARK_CAPTURE(select, vector_16M, vector_pattern);
BENCHMARK_CAPTURE(rank, vector_16M, vector_pattern);
BENCHMARK_CAPTURE(select, indexed_1M, indexed_pattern);
BENCHMARK_CAPTURE(rank, indexed_1M, indexed_pattern);
BENCHMARK_CAPTURE(select, irregular_1M, irregular_pattern);
BENCHMARK_CAPTURE(rank, irregular_1M, irregular_pattern);
BENCHMARK(recognise_indexed);

}  // namespace
