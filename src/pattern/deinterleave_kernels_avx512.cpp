// Deinterleaving with whole vectors: what a power of two of lanes that lie side by side have in as
// many vectors is sorted in registers and stored a full cache line per lane. What this does not fit
// is done as 16-byte rows.
#include "pattern/copy_kernels_levels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>
#include <utility>

#include "pattern/interleave_kernels_inline.hpp"

#define TUTTI_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")))

namespace tutti::pattern_detail {

namespace {

constexpr std::int64_t kVector = 64;
using Words = std::uint32_t __attribute__((vector_size(kVector)));
constexpr std::make_index_sequence<kVector / 4> kAll{};

// Of two vectors end to end: the runs of kWords words with even numbers, with odd numbers.
template <std::size_t kWords, std::size_t kOdd, std::size_t... I>
TUTTI_INLINE TUTTI_AVX512 Words every_other(Words a, Words b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, ((I / kWords * 2 + kOdd) * kWords + I % kWords)...);
}

// kLanes vectors that lie `step` bytes apart hold 64 bytes of each lane. Taking every other run
// moves the lowest bit of a run's number to the top; after log2 kLanes times the number of the lane
// is that of the vector.
template <std::int64_t kBytes, std::int64_t kLanes>
TUTTI_INLINE TUTTI_AVX512 void unzip(const std::byte* from, std::int64_t step,
                                     std::byte* const (&to)[kLanes], std::int64_t at) {
  constexpr std::size_t kWords = kBytes / 4;
  Words vectors[kLanes];
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < kLanes; ++i) std::memcpy(&vectors[i], from + i * step, kVector);
#pragma GCC unroll 4
  for (std::int64_t stage = 1; stage < kLanes; stage *= 2) {
    Words sorted[kLanes];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < kLanes / 2; ++i) {
      sorted[i] = every_other<kWords, 0>(vectors[2 * i], vectors[2 * i + 1], kAll);
      sorted[i + kLanes / 2] = every_other<kWords, 1>(vectors[2 * i], vectors[2 * i + 1], kAll);
    }
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < kLanes; ++i) vectors[i] = sorted[i];
  }
#pragma GCC unroll 16
  for (std::int64_t i = 0; i < kLanes; ++i) store(to[i] + at, vectors[i]);
}

// REQUIRES: kLanes lanes side by side that fill a vector in each period, or else the whole period.
template <std::int64_t kBytes, std::int64_t kLanes>
TUTTI_AVX512 void unzip_group(const Group& group, const std::byte* window) {
  constexpr std::int64_t kPeriods = kVector / kBytes;  // in which each lane has a vector
  const std::int64_t step = kLanes == kPeriods ? group.stride : kVector;
  const std::int64_t end = group.period + group.periods;
  std::byte* to[kLanes];
  for (std::int64_t i = 0; i < kLanes; ++i) to[i] = group.lanes[static_cast<std::size_t>(i)].packed;
  const std::byte* from = window + group.lanes[0].slot;
  std::int64_t period = group.period;
  for (; period + kPeriods <= end; period += kPeriods)
    unzip<kBytes, kLanes>(from + period * group.stride, step, to, period * kBytes);
  for (; period < end; ++period)
    for (std::int64_t i = 0; i < kLanes; ++i)
      std::memcpy(to[i] + period * kBytes, from + period * group.stride + i * kBytes, kBytes);
}

// How many lanes at a time can be unzipped; 0 where another way is needed.
template <std::int64_t kBytes>
std::int64_t lanes_at_once(const Weave& weave) {
  constexpr std::int64_t kFull = kVector / kBytes;
  const auto lanes = static_cast<std::int64_t>(weave.lanes.size());
  for (std::size_t i = 1; i < weave.lanes.size(); ++i)
    if (weave.lanes[i].slot != weave.lanes[i - 1].slot + kBytes) return 0;
  if (lanes % kFull == 0) return kFull;
  const bool power = lanes >= 2 && (lanes & (lanes - 1)) == 0;
  return power && lanes < kFull && weave.stride == lanes * kBytes ? lanes : 0;
}

template <std::int64_t kBytes, std::int64_t kLanes>
TUTTI_AVX512 void unzip_groups(const Weave& weave, const std::byte* window) {
  constexpr std::int64_t kPeriods = kVector / kBytes;
  const std::int64_t step = std::max(kPeriods, kStepBytes / weave.stride / kPeriods * kPeriods);
  for (std::int64_t period = 0; period < weave.periods; period += step) {
    prefetch_next(window + period * weave.stride, step * weave.stride);
    for (std::size_t first = 0; first < weave.lanes.size(); first += kLanes)
      unzip_group<kBytes, kLanes>(Group{weave.lanes.subspan(first, kLanes), kBytes, weave.stride,
                                        period, std::min(step, weave.periods - period)},
                                  window);
  }
}

template <std::int64_t kBytes>
TUTTI_AVX512 bool unzip_all(const Weave& weave, const std::byte* window) {
  switch (lanes_at_once<kBytes>(weave)) {
    case 2:
      return unzip_groups<kBytes, 2>(weave, window), true;
    case 4:
      if constexpr (kBytes <= 16) return unzip_groups<kBytes, 4>(weave, window), true;
      return false;
    case 8:
      if constexpr (kBytes <= 8) return unzip_groups<kBytes, 8>(weave, window), true;
      return false;
    case 16:
      if constexpr (kBytes <= 4) return unzip_groups<kBytes, 16>(weave, window), true;
      return false;
    default:
      return false;
  }
}

TUTTI_AVX512 bool unzip_any(const Weave& weave, const std::byte* window) {
  switch (weave.bytes) {
    case 4:
      return unzip_all<4>(weave, window);
    case 8:
      return unzip_all<8>(weave, window);
    case 16:
      return unzip_all<16>(weave, window);
    case 32:
      return unzip_all<32>(weave, window);
    default:
      return false;
  }
}

}  // namespace

TUTTI_AVX512 void deinterleave_avx512(const Weave& weave, const std::byte* window) {
  if (!unzip_any(weave, window)) copy_weave<true>(copy_kernels(SimdLevel::avx512), weave, window);
}

}  // namespace tutti::pattern_detail

#endif
