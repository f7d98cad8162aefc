// Interleaving with 16-byte rows: 16 / w lanes of w-byte runs that lie side by side are read 16
// bytes each, transposed in registers, and written as one row per period; and the reverse. Inlined
// into functions compiled for an instruction level, like copy_kernels_inline.hpp.
#pragma once

#include <algorithm>
#include <utility>

#include "pattern/copy_kernels_inline.hpp"

namespace tutti::pattern_detail {

constexpr std::int64_t kRow = 16;
constexpr std::int64_t kLeastPeriods = 32;
constexpr std::int64_t kStepBytes = 8192;  // of the window; stays in the first-level cache

template <std::int64_t kBytes>
struct RowOf;
template <>
struct RowOf<1> {
  using Type = std::uint8_t __attribute__((vector_size(16)));
};
template <>
struct RowOf<2> {
  using Type = std::uint16_t __attribute__((vector_size(16)));
};
template <>
struct RowOf<4> {
  using Type = std::uint32_t __attribute__((vector_size(16)));
};
template <>
struct RowOf<8> {
  using Type = std::uint64_t __attribute__((vector_size(16)));
};
template <std::int64_t kBytes>
using Row = typename RowOf<kBytes>::Type;

template <class V, std::size_t... I>
TUTTI_INLINE V zip_low(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (I % 2 * sizeof...(I) + I / 2)...);
}
template <class V, std::size_t... I>
TUTTI_INLINE V zip_high(V a, V b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, (I % 2 * sizeof...(I) + sizeof...(I) / 2 + I / 2)...);
}

// n vectors of n words. Zipping the halves of a sequence rotates the bits of each word's index by
// one; log2 n times exchanges vector and word number, which is its own inverse.
template <std::int64_t kBytes>
TUTTI_INLINE void transpose(Row<kBytes> (&rows)[kRow / kBytes]) {
  constexpr std::size_t n = kRow / kBytes;
  constexpr std::make_index_sequence<n> kAll{};
#pragma GCC unroll 4
  for (std::size_t stage = 1; stage < n; stage *= 2) {
    Row<kBytes> zipped[n];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < n / 2; ++i) {
      zipped[2 * i] = zip_low(rows[i], rows[i + n / 2], kAll);
      zipped[2 * i + 1] = zip_high(rows[i], rows[i + n / 2], kAll);
    }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < n; ++i) rows[i] = zipped[i];
  }
}

// The first `bytes` bytes of a row.
template <class V>
TUTTI_INLINE void store_part(std::byte* to, V row, std::int64_t bytes) {
  Words8 words = reinterpret_cast<Words8>(row);
  std::uint64_t rest = words[0];
  if (bytes & 8) {
    store(to, words[0]);
    to += 8;
    rest = words[1];
  }
  if (bytes & 4) {
    store(to, static_cast<std::uint32_t>(rest));
    to += 4;
    rest >>= 32;
  }
  if (bytes & 2) {
    store(to, static_cast<std::uint16_t>(rest));
    to += 2;
    rest >>= 16;
  }
  if (bytes & 1) store(to, static_cast<std::uint8_t>(rest));
}

// Hints that the bytes after [at, at + bytes) come next. Processors see that by themselves within a
// page; the first lines of the next pages are what they wait for.
TUTTI_INLINE void prefetch_next(const std::byte* at, std::int64_t bytes) {
  constexpr std::int64_t kPage = 4096;
  constexpr std::int64_t kLines = 4;
  constexpr std::int64_t kMostPages = 4;
  const auto next = reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(bytes);
  const std::byte* page = at + bytes + static_cast<std::int64_t>(-next % kPage);
  for (std::int64_t i = 0; i < std::min(bytes / kPage, kMostPages); ++i, page += kPage)
    for (std::int64_t line = 0; line < kLines; ++line) __builtin_prefetch(page + 64 * line, 0, 2);
}

// Lanes side by side, at most as many as a row holds, from `period` on.
struct Group {
  std::span<const Lane> lanes;
  std::int64_t bytes = 1;
  std::int64_t stride = 1;
  std::int64_t period = 0;
  std::int64_t periods = 1;
};

// Lane by lane, with the strided kernels.
template <bool kGather>
TUTTI_INLINE void copy_lanes(const CopyKernels& kernels, const Group& group,
                             MemoryByte<kGather>* window) {
  const Plane plane{.bytes = group.bytes, .count = group.periods, .stride = group.stride};
  for (const Lane& lane : group.lanes) {
    auto* const at = window + group.period * group.stride + lane.slot;
    std::byte* const packed = lane.packed + group.period * group.bytes;
    if constexpr (kGather)
      kernels.gather(plane, at, packed);
    else
      kernels.scatter(plane, packed, at);
  }
}

template <std::int64_t kBytes, bool kPart>
TUTTI_INLINE void weave_rows(const Group& group, std::byte* window) {
  constexpr std::int64_t n = kRow / kBytes;
  const auto lanes = static_cast<std::int64_t>(group.lanes.size());
  const std::byte* from[n];
  for (std::int64_t i = 0; i < n; ++i)
    from[i] = group.lanes[static_cast<std::size_t>(std::min(i, lanes - 1))].packed +
              group.period * kBytes;
  std::byte* to = window + group.period * group.stride + group.lanes[0].slot;
  for (std::int64_t t = 0; t < group.periods; t += n) {
    Row<kBytes> rows[n];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < n; ++i) rows[i] = load<Row<kBytes>>(from[i] + t * kBytes);
    transpose<kBytes>(rows);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < n; ++i, to += group.stride) {
      if constexpr (kPart)
        store_part(to, rows[i], lanes * kBytes);
      else
        store(to, rows[i]);
    }
  }
}

template <std::int64_t kBytes>
TUTTI_INLINE void unweave_rows(const Group& group, const std::byte* window) {
  constexpr std::int64_t n = kRow / kBytes;
  const auto lanes = static_cast<std::int64_t>(group.lanes.size());
  std::byte* to[n] = {};
  for (std::int64_t i = 0; i < lanes; ++i)
    to[i] = group.lanes[static_cast<std::size_t>(i)].packed + group.period * kBytes;
  const std::byte* from = window + group.period * group.stride + group.lanes[0].slot;
  for (std::int64_t t = 0; t < group.periods; t += n) {
    Row<kBytes> rows[n];
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < n; ++i, from += group.stride) rows[i] = load<Row<kBytes>>(from);
    transpose<kBytes>(rows);
#pragma GCC unroll 16
    for (std::int64_t i = 0; i < n; ++i)
      if (i < lanes) store(to[i] + t * kBytes, rows[i]);
  }
}

// Periods of `group` whose rows, read at full width, end inside the window.
inline std::int64_t readable_periods(const Weave& weave, const Group& group) {
  const std::int64_t window_end =
      (weave.periods - 1) * weave.stride + weave.lanes.back().slot + weave.bytes;
  const std::int64_t last_start = window_end - kRow - group.lanes[0].slot;
  if (last_start < 0) return 0;
  return std::clamp<std::int64_t>(last_start / weave.stride + 1 - group.period, 0, group.periods);
}

template <std::int64_t kBytes, bool kGather>
TUTTI_INLINE void copy_group(const Weave& weave, Group group, MemoryByte<kGather>* window) {
  constexpr std::int64_t n = kRow / kBytes;
  const bool part = static_cast<std::int64_t>(group.lanes.size()) < n;
  const std::int64_t all = group.periods;
  group.periods = kGather && part ? readable_periods(weave, group) : all;
  group.periods -= group.periods % n;
  if constexpr (kGather) {
    unweave_rows<kBytes>(group, window);
  } else {
    if (part)
      weave_rows<kBytes, true>(group, window);
    else
      weave_rows<kBytes, false>(group, window);
  }
  // Too few periods are left for a call per lane.
  const std::int64_t end = group.period + all;
  for (const Lane& lane : group.lanes) {
    for (std::int64_t t = group.period + group.periods; t < end; ++t) {
      auto* const at = window + t * group.stride + lane.slot;
      if constexpr (kGather)
        std::memcpy(lane.packed + t * kBytes, at, kBytes);
      else
        std::memcpy(at, lane.packed + t * kBytes, kBytes);
    }
  }
}

template <std::int64_t kBytes, bool kGather>
TUTTI_INLINE void copy_groups(const CopyKernels& kernels, const Weave& weave,
                              MemoryByte<kGather>* window) {
  constexpr std::size_t n = kRow / kBytes;
  constexpr std::int64_t kPeriods = n;
  const std::int64_t step = std::max(kPeriods, kStepBytes / weave.stride / kPeriods * kPeriods);
  for (std::int64_t period = 0; period < weave.periods; period += step) {
    if constexpr (kGather) prefetch_next(window + period * weave.stride, step * weave.stride);
    for (std::size_t first = 0; first < weave.lanes.size();) {
      std::size_t last = first + 1;
      while (last < weave.lanes.size() && last - first < n &&
             weave.lanes[last].slot == weave.lanes[last - 1].slot + kBytes)
        ++last;
      const Group group{weave.lanes.subspan(first, last - first), kBytes, weave.stride, period,
                        std::min(step, weave.periods - period)};
      // Transposing a row that is mostly empty is dearer than its words one by one.
      if (4 * (last - first) <= n || last - first == 1)
        copy_lanes<kGather>(kernels, group, window);
      else
        copy_group<kBytes, kGather>(weave, group, window);
      first = last;
    }
  }
}

// For runs that fill a row or do not divide one.
template <bool kGather>
TUTTI_INLINE void copy_stepwise(const CopyKernels& kernels, const Weave& weave,
                                MemoryByte<kGather>* window) {
  const std::int64_t step = std::max(kLeastPeriods, kStepBytes / weave.stride);
  for (std::int64_t period = 0; period < weave.periods; period += step) {
    if constexpr (kGather) prefetch_next(window + period * weave.stride, step * weave.stride);
    copy_lanes<kGather>(kernels,
                        Group{weave.lanes, weave.bytes, weave.stride, period,
                              std::min(step, weave.periods - period)},
                        window);
  }
}

template <bool kGather>
TUTTI_INLINE void copy_weave(const CopyKernels& kernels, const Weave& weave,
                             MemoryByte<kGather>* window) {
  switch (weave.bytes) {
    case 1:
      return copy_groups<1, kGather>(kernels, weave, window);
    case 2:
      return copy_groups<2, kGather>(kernels, weave, window);
    case 4:
      return copy_groups<4, kGather>(kernels, weave, window);
    case 8:
      return copy_groups<8, kGather>(kernels, weave, window);
    default:
      return copy_stepwise<kGather>(kernels, weave, window);
  }
}

}  // namespace tutti::pattern_detail
