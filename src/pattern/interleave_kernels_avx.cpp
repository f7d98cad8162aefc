// Interleaving a few narrow lanes that fill their period: window vectors are unions of shuffled
// vectors, one per lane. What this does not fit is done as 16-byte rows.
#include "pattern/copy_kernels_levels.hpp"

#if defined(__x86_64__)

// GCC 12 takes the undefined operand of unmasked intrinsics for a mistake of ours (its bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>

#include <cstring>
#include <numeric>

#include "pattern/interleave_kernels_inline.hpp"

#define TUTTI_AVX2 __attribute__((target("avx2")))
#define TUTTI_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")))

namespace tutti::pattern_detail {

namespace {

constexpr std::int64_t kMostLanes = 8;
constexpr std::int64_t kMostVectors = kRow - 1;  // a period of 15 bytes repeats after 15 vectors
constexpr int kVanish = 0x80;

bool fits(const Weave& weave) {
  const auto lanes = static_cast<std::int64_t>(weave.lanes.size());
  return lanes >= 2 && lanes <= kMostLanes && weave.stride < kRow &&
         weave.stride == lanes * weave.bytes;
}

// What window vector v takes from each lane; after `vectors` vectors everything repeats.
template <std::int64_t kVector>
struct ZipShape {
  std::int64_t vectors = 0;
  std::int64_t lane_step = 0;                                       // lane bytes in all vectors
  std::int64_t first[kMostVectors][kMostLanes] = {};                // lane bytes before vector v
  std::uint64_t members[kMostVectors][kMostLanes] = {};             // vector bytes of that lane
  alignas(64) std::byte places[kMostVectors][kMostLanes][kVector];  // lane bytes from `first` on

  explicit ZipShape(const Weave& weave) {
    vectors = weave.stride / std::gcd(weave.stride, kVector);
    lane_step = vectors * kVector / weave.stride * weave.bytes;
    std::memset(places, kVanish, sizeof places[0] * static_cast<std::size_t>(vectors));
    std::int64_t used[kMostLanes] = {};
    for (std::int64_t v = 0; v < vectors; ++v) {
      std::copy_n(used, kMostLanes, first[v]);
      for (std::int64_t x = 0; x < kVector; ++x) {
        const std::int64_t lane = (v * kVector + x) % weave.stride / weave.bytes;
        places[v][lane][x] = static_cast<std::byte>(used[lane] - first[v][lane]);
        members[v][lane] |= std::uint64_t{1} << x;
        ++used[lane];
      }
    }
  }

  // Rounds of `vectors` vectors whose loads end inside the lanes.
  std::int64_t rounds(const Weave& weave) const {
    const std::int64_t lane_bytes = weave.periods * weave.bytes;
    const std::int64_t reach = first[vectors - 1][0] + kVector;
    return lane_bytes < reach ? 0 : (lane_bytes - reach) / lane_step + 1;
  }
};

// A vector number at a time over `rounds` rounds from `round` on, so that its shape stays in
// registers.
struct ZipStep {
  std::int64_t round = 0;
  std::int64_t rounds = 0;
};

template <std::size_t kLanes>
TUTTI_AVX2 void zip_lanes_avx2(const Weave& weave, const ZipShape<16>& shape, ZipStep step,
                               std::byte* window) {
  for (std::int64_t v = 0; v < shape.vectors; ++v) {
    const std::byte* from[kLanes];
    __m128i places[kLanes];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kLanes; ++i) {
      from[i] = weave.lanes[i].packed + step.round * shape.lane_step + shape.first[v][i];
      places[i] = _mm_load_si128(reinterpret_cast<const __m128i*>(shape.places[v][i]));
    }
    std::byte* to = window + (step.round * shape.vectors + v) * 16;
    const std::int64_t to_step = shape.vectors * 16;
    const std::int64_t used = step.rounds * shape.lane_step;
    for (std::int64_t at = 0; at < used; at += shape.lane_step, to += to_step) {
      __m128i all = _mm_setzero_si128();
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kLanes; ++i) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from[i] + at));
        all = _mm_or_si128(all, _mm_shuffle_epi8(bytes, places[i]));
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to), all);
    }
  }
}

// Loads no more than a vector can take from one of kLanes lanes: at most 18 bytes from one of four,
// 15 from one of five.
template <std::size_t kLanes>
TUTTI_INLINE TUTTI_AVX512 __m512i load_lane(const std::byte* from) {
  if constexpr (kLanes >= 5)
    return _mm512_castsi128_si512(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  else if constexpr (kLanes == 4)
    return _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)));
  else
    return _mm512_loadu_si512(from);
}

template <std::size_t kLanes>
TUTTI_AVX512 void zip_lanes_avx512(const Weave& weave, const ZipShape<64>& shape, ZipStep step,
                                   std::byte* window) {
  for (std::int64_t v = 0; v < shape.vectors; ++v) {
    const std::byte* from[kLanes];
    __m512i places[kLanes];
    __mmask64 members[kLanes];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kLanes; ++i) {
      from[i] = weave.lanes[i].packed + step.round * shape.lane_step + shape.first[v][i];
      places[i] = _mm512_load_si512(shape.places[v][i]);
      members[i] = shape.members[v][i];
    }
    std::byte* to = window + (step.round * shape.vectors + v) * 64;
    const std::int64_t to_step = shape.vectors * 64;
    const std::int64_t used = step.rounds * shape.lane_step;
    for (std::int64_t at = 0; at < used; at += shape.lane_step, to += to_step) {
      __m512i all = _mm512_permutexvar_epi8(places[0], load_lane<kLanes>(from[0] + at));
#pragma GCC unroll 8
      for (std::size_t i = 1; i < kLanes; ++i)
        all = _mm512_mask_permutexvar_epi8(all, members[i], places[i],
                                           load_lane<kLanes>(from[i] + at));
      _mm512_storeu_si512(to, all);
    }
  }
}

constexpr decltype(&zip_lanes_avx2<2>) kZipAvx2[] = {
    zip_lanes_avx2<2>, zip_lanes_avx2<3>, zip_lanes_avx2<4>, zip_lanes_avx2<5>,
    zip_lanes_avx2<6>, zip_lanes_avx2<7>, zip_lanes_avx2<8>};
constexpr decltype(&zip_lanes_avx512<2>) kZipAvx512[] = {
    zip_lanes_avx512<2>, zip_lanes_avx512<3>, zip_lanes_avx512<4>, zip_lanes_avx512<5>,
    zip_lanes_avx512<6>, zip_lanes_avx512<7>, zip_lanes_avx512<8>};

template <std::int64_t kVector, class Zips>
void zip(const CopyKernels& kernels, const Weave& weave, const Zips& zips, std::byte* window) {
  const ZipShape<kVector> shape(weave);
  const std::int64_t rounds = shape.rounds(weave);
  const std::int64_t step = std::max<std::int64_t>(kStepBytes / (shape.vectors * kVector), 1);
  for (std::int64_t round = 0; round < rounds; round += step)
    zips[weave.lanes.size() - 2](weave, shape, {round, std::min(step, rounds - round)}, window);
  const std::int64_t done = rounds * shape.lane_step / weave.bytes;
  if (done < weave.periods)
    copy_lanes<false>(
        kernels, Group{weave.lanes, weave.bytes, weave.stride, done, weave.periods - done}, window);
}

}  // namespace

TUTTI_AVX2 void interleave_avx2(const Weave& weave, std::byte* window) {
  const CopyKernels& kernels = copy_kernels(SimdLevel::avx2);
  if (fits(weave)) return zip<16>(kernels, weave, kZipAvx2, window);
  copy_weave<false>(kernels, weave, window);
}

TUTTI_AVX2 void deinterleave_avx2(const Weave& weave, const std::byte* window) {
  copy_weave<true>(copy_kernels(SimdLevel::avx2), weave, window);
}

TUTTI_AVX512 void interleave_avx512(const Weave& weave, std::byte* window) {
  const CopyKernels& kernels = copy_kernels(SimdLevel::avx512);
  if (fits(weave)) return zip<64>(kernels, weave, kZipAvx512, window);
  copy_weave<false>(kernels, weave, window);
}

}  // namespace tutti::pattern_detail

#endif
