// Small strides on AVX-512 with byte permutes: one vector holds several runs and their gaps.
#include "pattern/copy_kernels_levels.hpp"

#if defined(__x86_64__)

// GCC 12 takes the undefined operand of unmasked intrinsics for a mistake of ours (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <algorithm>

#include "pattern/copy_kernels_inline.hpp"

#define TUTTI_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")))

namespace tutti::pattern_detail {

namespace {

constexpr std::int64_t kVector = 64;

constexpr __mmask64 low_bytes(std::int64_t n) {
  return n >= kVector ? ~__mmask64{0} : (__mmask64{1} << n) - 1;
}

// How `runs` runs lie in one vector that starts `lead` bytes before the first of them.
struct VectorShape {
  std::int64_t runs = 0;
  std::int64_t lead = 0;
  __mmask64 members = 0;  // memory bytes that belong to runs
  // Packed byte k is memory byte compact[k], memory byte k is packed byte spread[k].
  alignas(kVector) std::byte compact[kVector + 8];
  alignas(kVector) std::byte spread[kVector + 8];

  // Memory bytes of the first n runs, without and with the gaps between them.
  __mmask64 members_of(const Plane& plane, std::int64_t n) const {
    return members & low_bytes(lead + (n - 1) * plane.stride + plane.bytes);
  }
  __mmask64 hull_of(const Plane& plane, std::int64_t n) const {
    return low_bytes(lead + (n - 1) * plane.stride + plane.bytes) & ~low_bytes(lead);
  }
};

VectorShape shape_of(const Plane& plane, std::int64_t runs, std::int64_t lead) {
  constexpr std::uint64_t kAscending = 0x0706050403020100;
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  VectorShape shape;
  shape.runs = runs;
  shape.lead = lead;
  // Eight indices at once; those beyond a run are overwritten by the next one or never used.
  for (std::int64_t i = 0; i < runs; ++i) {
    const std::int64_t at = lead + i * plane.stride;
    const std::int64_t k = i * plane.bytes;
    for (std::int64_t b = 0; b < plane.bytes; b += 8) {
      store(shape.compact + k + b, kAscending + kOnes * static_cast<std::uint64_t>(at + b));
      store(shape.spread + at + b, kAscending + kOnes * static_cast<std::uint64_t>(k + b));
    }
    shape.members |= low_bytes(plane.bytes) << at;
  }
  return shape;
}

// Where a stride divides the vector, vectors start on cache lines: `lead` bytes before a run.
std::int64_t lead_of(const Plane& plane, const std::byte* memory) {
  if (plane.rows > 1 || kVector % plane.stride != 0) return 0;
  const auto phase = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory) %
                                               static_cast<std::uintptr_t>(plane.stride));
  return phase + plane.bytes <= plane.stride ? phase : 0;
}

// Runs before the first vector that starts on a cache line; 0 where none does.
std::int64_t runs_before_line(const Plane& plane, const VectorShape& shape,
                              const std::byte* memory) {
  if (plane.rows > 1 || kVector % plane.stride != 0) return 0;
  const auto start = reinterpret_cast<std::uintptr_t>(memory - shape.lead);
  const auto gap = static_cast<std::int64_t>((kVector - start % kVector) % kVector);
  return gap % plane.stride == 0 ? std::min(gap / plane.stride, plane.count) : 0;
}

std::int64_t runs_per_vector(const Plane& plane) {
  return plane.stride < plane.bytes ? 0 : (kVector - plane.bytes) / plane.stride + 1;
}

template <std::int64_t kStore>
TUTTI_INLINE TUTTI_AVX512 void store_low(std::byte* to, __m512i v) {
  if constexpr (kStore == 16)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_castsi512_si128(v));
  else if constexpr (kStore == 32)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_castsi512_si256(v));
  else
    _mm512_storeu_si512(to, v);
}

// kStore is the smallest register that holds the packed bytes of one step; what a store writes
// beyond them is written again by the next one.
template <std::int64_t kStore>
TUTTI_AVX512 void gather_rows(const Plane& plane, const VectorShape& shape, const std::byte* memory,
                              std::byte* packed) {
  const __m512i compact = _mm512_load_si512(shape.compact);
  const __mmask64 full = shape.hull_of(plane, shape.runs);
  const std::int64_t step = shape.runs * plane.stride;
  const std::int64_t out = shape.runs * plane.bytes;
  const std::byte* const last_full_store = packed + plane.rows * plane.count * plane.bytes - kStore;
  for (std::int64_t i = 0; i < plane.rows; ++i) {
    const std::byte* at = memory + i * plane.row_stride - shape.lead;
    std::int64_t left = plane.count;
    const auto some = [&](std::int64_t runs) TUTTI_AVX512 __attribute__((always_inline)) {
      const __m512i v = _mm512_maskz_loadu_epi8(shape.hull_of(plane, runs), at);
      _mm512_mask_storeu_epi8(packed, low_bytes(runs * plane.bytes),
                              _mm512_permutexvar_epi8(compact, v));
      at += runs * plane.stride;
      packed += runs * plane.bytes;
    };
    if (const std::int64_t head = runs_before_line(plane, shape, memory); head > 0) {
      some(head);
      left -= head;
    }
    for (; left >= shape.runs && packed <= last_full_store; left -= shape.runs) {
      const __m512i v = _mm512_maskz_loadu_epi8(full, at);
      store_low<kStore>(packed, _mm512_permutexvar_epi8(compact, v));
      at += step;
      packed += out;
    }
    while (left > 0) {
      const std::int64_t runs = std::min(left, shape.runs);
      some(runs);
      left -= runs;
    }
  }
}

TUTTI_AVX512 void scatter_rows(const Plane& plane, const VectorShape& shape,
                               const std::byte* packed, std::byte* memory) {
  const __m512i spread = _mm512_load_si512(shape.spread);
  const __mmask64 members = shape.members;
  const std::int64_t step = shape.runs * plane.stride;
  const std::int64_t in = shape.runs * plane.bytes;
  const __mmask64 packed_members = low_bytes(in);
  for (std::int64_t i = 0; i < plane.rows; ++i) {
    std::byte* at = memory + i * plane.row_stride - shape.lead;
    std::int64_t left = plane.count;
    const auto some = [&](std::int64_t runs) TUTTI_AVX512 __attribute__((always_inline)) {
      const __m512i v = _mm512_maskz_loadu_epi8(low_bytes(runs * plane.bytes), packed);
      _mm512_mask_storeu_epi8(at, shape.members_of(plane, runs),
                              _mm512_permutexvar_epi8(spread, v));
      at += runs * plane.stride;
      packed += runs * plane.bytes;
    };
    if (const std::int64_t head = runs_before_line(plane, shape, memory); head > 0) {
      some(head);
      left -= head;
    }
    for (; left >= shape.runs; left -= shape.runs) {
      const __m512i v = _mm512_maskz_loadu_epi8(packed_members, packed);
      _mm512_mask_storeu_epi8(at, members, _mm512_permutexvar_epi8(spread, v));
      at += step;
      packed += in;
    }
    if (left > 0) some(left);
  }
}

// Runs of at most a vector, whatever their sizes: no branch depends on a size. Stops at a longer
// run.
template <bool kGather>
TUTTI_INLINE TUTTI_AVX512 std::int64_t copy_mixed_runs(RunList list, std::int64_t first,
                                                       std::int64_t last,
                                                       MemoryByte<kGather>* memory,
                                                       PackedByte<kGather>* packed) {
  constexpr std::int64_t kAhead = 32;
  std::int64_t i = first;
  for (; i < last; ++i) {
    const std::int64_t bytes = list.starts[i + 1] - list.starts[i];
    if (bytes > kVector) break;
    const std::int64_t ahead = list.places[std::min(i + kAhead, list.count - 1)];
    __builtin_prefetch(address(memory, ahead), kGather ? 0 : 1);
    const __mmask64 members = ~__mmask64{0} >> (kVector - bytes);
    auto* const at = address(memory, list.places[i]);
    if constexpr (kGather)
      _mm512_mask_storeu_epi8(packed, members, _mm512_maskz_loadu_epi8(members, at));
    else
      _mm512_mask_storeu_epi8(at, members, _mm512_maskz_loadu_epi8(members, packed));
    packed += bytes;
  }
  return i - first;
}

// Equal sizes get a loop of their own as long as they come in long stretches.
template <bool kGather>
TUTTI_INLINE TUTTI_AVX512 void copy_list_avx512(const RunList& list, MemoryByte<kGather>* memory,
                                                PackedByte<kGather>* packed) {
  constexpr std::int64_t kLongStretch = 8;
  constexpr std::int64_t kMixed = 64;
  for (std::int64_t i = 0; i < list.count;) {
    const std::int64_t equal =
        copy_equal_runs<kGather>(list, i, memory, packed + list.starts[i] - list.starts[0]);
    i += equal;
    if (equal < kLongStretch)
      i += copy_mixed_runs<kGather>(list, i, std::min(i + kMixed, list.count), memory,
                                    packed + list.starts[i] - list.starts[0]);
  }
}

// Permutes pay from this many runs per vector on; below, a load and a store for each run do better.
constexpr std::int64_t kLeastRuns = 4;
constexpr std::int64_t kLeastTotal = 16;

}  // namespace

TUTTI_AVX512 void gather_avx512(const Plane& plane, const std::byte* memory, std::byte* packed) {
  const std::int64_t runs = std::min(runs_per_vector(plane), plane.count);
  if (runs < kLeastRuns || plane.rows * plane.count < kLeastTotal)
    return gather_any(plane, memory, packed);
  const VectorShape shape = shape_of(plane, runs, lead_of(plane, memory));
  const std::int64_t out = runs * plane.bytes;
  if (out <= 16) return gather_rows<16>(plane, shape, memory, packed);
  if (out <= 32) return gather_rows<32>(plane, shape, memory, packed);
  gather_rows<64>(plane, shape, memory, packed);
}

TUTTI_AVX512 void scatter_avx512(const Plane& plane, const std::byte* packed, std::byte* memory) {
  const std::int64_t runs = std::min(runs_per_vector(plane), plane.count);
  if (runs < kLeastRuns || plane.rows * plane.count < kLeastTotal)
    return copy_runs<false>(plane, memory, packed);
  scatter_rows(plane, shape_of(plane, runs, lead_of(plane, memory)), packed, memory);
}

TUTTI_AVX512 void gather_list_avx512(const RunList& list, const std::byte* memory,
                                     std::byte* packed) {
  copy_list_avx512<true>(list, memory, packed);
}

TUTTI_AVX512 void scatter_list_avx512(const RunList& list, const std::byte* packed,
                                      std::byte* memory) {
  copy_list_avx512<false>(list, memory, packed);
}

}  // namespace tutti::pattern_detail

#endif
