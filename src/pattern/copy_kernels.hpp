// The inner loops of pack and unpack, one set per instruction level. Private to src/pattern.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pattern/interleave.hpp"
#include "pattern/pattern.hpp"

namespace tutti::pattern_detail {

enum class SimdLevel { portable, avx2, avx512 };

// The highest level that this processor runs.
SimdLevel best_simd_level();

// `rows` times `count` runs of `bytes` bytes: run j of row i lies at i · row_stride + j · stride.
// Strides may be negative, zero or smaller than a run. REQUIRES: bytes, count, rows >= 1.
struct Plane {
  std::int64_t bytes = 1;
  std::int64_t count = 1;
  std::int64_t stride = 0;
  std::int64_t rows = 1;
  std::int64_t row_stride = 0;
};

// `count` runs: run i lies at places[i], its packed bytes from starts[i] to starts[i + 1].
struct RunList {
  const std::int64_t* places = nullptr;
  const std::int64_t* starts = nullptr;
  std::int64_t count = 0;
};

// A packed stream that fills, or is filled from, the bytes from `slot` of every period.
struct Lane {
  std::int64_t slot = 0;
  std::byte* packed = nullptr;  // only read by `interleave`
};

// Lanes that take `bytes` bytes each in every one of `periods` periods of `stride` bytes.
// REQUIRES: slots ascend, and lanes overlap neither each other nor the next period's.
struct Weave {
  std::span<const Lane> lanes;
  std::int64_t bytes = 1;
  std::int64_t stride = 1;
  std::int64_t periods = 1;
};

// Kernels write pattern bytes and nothing else, in stream order where runs overlap; they read at
// most the bytes between the first and the last byte of a row or of a window.
struct CopyKernels {
  void (*gather)(const Plane& plane, const std::byte* memory, std::byte* packed);
  void (*scatter)(const Plane& plane, const std::byte* packed, std::byte* memory);
  // `packed` is where the bytes of run 0 go or come from, whatever starts[0] is.
  void (*gather_list)(const RunList& list, const std::byte* memory, std::byte* packed);
  void (*scatter_list)(const RunList& list, const std::byte* packed, std::byte* memory);
  void (*interleave)(const Weave& weave, std::byte* window);
  void (*deinterleave)(const Weave& weave, const std::byte* window);
};

// REQUIRES: level <= best_simd_level().
const CopyKernels& copy_kernels(SimdLevel level);

// The kernels of the best level.
const CopyKernels& copy_kernels();

// Stream bytes [begin, end) of a pattern.
struct StreamRange {
  const Pattern& pattern;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// pack and unpack of copy.hpp with a chosen set of kernels.
void pack_with(const CopyKernels& kernels, const StreamRange& range, const std::byte* base,
               std::byte* packed);
void unpack_with(const CopyKernels& kernels, const StreamRange& range, std::byte* base,
                 const std::byte* packed);

// unpack_many and pack_many of interleave.hpp likewise.
void unpack_many_with(const CopyKernels& kernels, std::span<const Source> sources,
                      std::byte* window_base);
void pack_many_with(const CopyKernels& kernels, std::span<const Sink> sinks,
                    const std::byte* window_base);

}  // namespace tutti::pattern_detail
