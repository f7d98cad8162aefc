// Narrow runs at small strides on AVX2: byte shuffles collect 16 packed bytes from a few loads.
#include "pattern/copy_kernels_levels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include "pattern/copy_kernels_inline.hpp"

#define TUTTI_AVX2 __attribute__((target("avx2")))

namespace tutti::pattern_detail {

namespace {

constexpr std::int64_t kVector = 16;
constexpr std::int64_t kMostLoads = 8;

// 16 packed bytes are the union of `loads` vectors, each shuffled so that its runs come to their
// places and its gaps vanish.
struct ShuffleShape {
  std::int64_t loads = 0;
  std::int64_t load_step = 0;  // memory bytes from one load to the next
  alignas(kVector) std::byte places[kMostLoads][kVector];
};

ShuffleShape shape_of(const Plane& plane, std::int64_t runs_per_load) {
  constexpr int kVanish = 0x80;
  const std::int64_t runs = kVector / plane.bytes;
  ShuffleShape shape;
  shape.loads = (runs + runs_per_load - 1) / runs_per_load;
  shape.load_step = runs_per_load * plane.stride;
  std::memset(shape.places, kVanish, sizeof shape.places);
  for (std::int64_t i = 0; i < runs; ++i)
    for (std::int64_t b = 0; b < plane.bytes; ++b)
      shape.places[i / runs_per_load][i * plane.bytes + b] =
          static_cast<std::byte>(i % runs_per_load * plane.stride + b);
  return shape;
}

template <std::int64_t kLoads>
TUTTI_AVX2 void gather_shuffled(const Plane& plane, const ShuffleShape& shape,
                                const std::byte* memory, std::byte* packed) {
  const std::int64_t runs = kVector / plane.bytes;
  const std::int64_t load_step = shape.load_step;
  const std::int64_t read_bytes = (kLoads - 1) * load_step + kVector;
  __m128i places[kLoads];
#pragma GCC unroll 8
  for (std::int64_t j = 0; j < kLoads; ++j)
    places[j] = _mm_load_si128(reinterpret_cast<const __m128i*>(shape.places[j]));
  for (std::int64_t i = 0; i < plane.rows; ++i) {
    const std::byte* at = memory + i * plane.row_stride;
    const std::byte* const row_end = at + (plane.count - 1) * plane.stride + plane.bytes;
    std::int64_t left = plane.count;
    for (; left >= runs && row_end - at >= read_bytes; left -= runs) {
      __m128i v = _mm_setzero_si128();
#pragma GCC unroll 8
      for (std::int64_t j = 0; j < kLoads; ++j) {
        const auto* from = reinterpret_cast<const __m128i*>(at + j * load_step);
        v = _mm_or_si128(v, _mm_shuffle_epi8(_mm_loadu_si128(from), places[j]));
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(packed), v);
      at += runs * plane.stride;
      packed += kVector;
    }
    for (; left > 0; --left, at += plane.stride, packed += plane.bytes)
      std::memcpy(packed, at, static_cast<std::size_t>(plane.bytes));
  }
}

constexpr decltype(&gather_shuffled<2>) kGatherShuffled[] = {
    gather_shuffled<2>, gather_shuffled<3>, gather_shuffled<4>, gather_shuffled<5>,
    gather_shuffled<6>, gather_shuffled<7>, gather_shuffled<8>};

}  // namespace

TUTTI_AVX2 void gather_avx2(const Plane& plane, const std::byte* memory, std::byte* packed) {
  const bool narrow = plane.bytes == 1 || plane.bytes == 2;
  if (narrow && plane.stride > plane.bytes && plane.count >= 2 * kVector / plane.bytes) {
    const std::int64_t runs_per_load = (kVector - plane.bytes) / plane.stride + 1;
    if (runs_per_load * plane.bytes * kMostLoads >= kVector) {
      const ShuffleShape shape = shape_of(plane, runs_per_load);
      return kGatherShuffled[shape.loads - 2](plane, shape, memory, packed);
    }
  }
  gather_any(plane, memory, packed);
}

TUTTI_AVX2 void scatter_avx2(const Plane& plane, const std::byte* packed, std::byte* memory) {
  copy_runs<false>(plane, memory, packed);
}

TUTTI_AVX2 void gather_list_avx2(const RunList& list, const std::byte* memory, std::byte* packed) {
  copy_list<true>(list, memory, packed);
}

TUTTI_AVX2 void scatter_list_avx2(const RunList& list, const std::byte* packed, std::byte* memory) {
  copy_list<false>(list, memory, packed);
}

}  // namespace tutti::pattern_detail

#endif
