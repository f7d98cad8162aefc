// Interleaving a few narrow lanes that fill their period: window vectors are unions of shuffled
// vectors, one per lane. What this does not fit is done as 16-byte rows.
#include "pattern/copy_kernels_levels.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#define TUTTI_AVX2 __attribute__((target("avx2")))
#define TUTTI_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi")))

namespace tutti::pattern_detail {

namespace {

constexpr std::int64_t kMostLanes = 8;
constexpr std::int64_t kRow = 16;
constexpr std::int64_t kMostVectors = kRow - 1;  // a period of 15 bytes repeats after 15 vectors
constexpr int kVanish = 0x80;

bool fits(const Weave& weave) {
  const auto lanes = static_cast<std::int64_t>(weave.lanes.size());
  return lanes >= 2 && lanes <= kMostLanes && weave.stride < kRow &&
         weave.stride == lanes * weave.bytes && weave.lanes[0].slot == 0;
}

// What window vector v takes from each lane; after `vectors` vectors everything repeats.
template <std::int64_t kVector>
struct ZipShape {
  std::int64_t vectors = 0;
  std::int64_t lane_step = 0;                            // lane bytes used by all vectors
  std::int64_t first[kMostVectors][kMostLanes] = {};     // lane bytes used before vector v
  std::uint64_t members[kMostVectors][kMostLanes] = {};  // vector bytes from that lane
  alignas(64) std::byte places[kMostVectors][kMostLanes][kVector];  // lane byte, from `first` on

  explicit ZipShape(const Weave& weave) {
    vectors = weave.stride / std::gcd(weave.stride, kVector);
    lane_step = vectors * kVector / weave.stride * weave.bytes;
    std::memset(places, kVanish, sizeof places);
    std::int64_t used[kMostLanes] = {};
    std::int64_t lane = 0;
    for (std::int64_t v = 0; v < vectors; ++v) {
      std::copy_n(used, kMostLanes, first[v]);
      for (std::int64_t x = 0; x < kVector; ++x) {
        lane = (v * kVector + x) % weave.stride / weave.bytes;
        places[v][lane][x] = static_cast<std::byte>(used[lane] - first[v][lane]);
        members[v][lane] |= std::uint64_t{1} << x;
        ++used[lane];
      }
    }
  }
};

// Rounds of ZipShape::vectors vectors whose loads end inside the lanes.
template <std::int64_t kVector>
std::int64_t rounds_of(const Weave& weave, const ZipShape<kVector>& shape) {
  const std::int64_t lane_bytes = weave.periods * weave.bytes;
  const std::int64_t reach = shape.first[shape.vectors - 1][0] + kVector;
  return lane_bytes < reach ? 0 : (lane_bytes - reach) / shape.lane_step + 1;
}

TUTTI_AVX2 std::int64_t zip_avx2(const Weave& weave, std::byte* window) {
  const ZipShape<16> shape(weave);
  const std::int64_t rounds = rounds_of(weave, shape);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t v = 0; v < shape.vectors; ++v, window += 16) {
      __m128i all = _mm_setzero_si128();
      for (std::size_t i = 0; i < weave.lanes.size(); ++i) {
        const std::byte* from = weave.lanes[i].packed + round * shape.lane_step + shape.first[v][i];
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        const __m128i places = _mm_load_si128(reinterpret_cast<const __m128i*>(shape.places[v][i]));
        all = _mm_or_si128(all, _mm_shuffle_epi8(bytes, places));
      }
      _mm_storeu_si128(reinterpret_cast<__m128i*>(window), all);
    }
  }
  return rounds * shape.lane_step / weave.bytes;
}

TUTTI_AVX512 std::int64_t zip_avx512(const Weave& weave, std::byte* window) {
  const ZipShape<64> shape(weave);
  const std::int64_t rounds = rounds_of(weave, shape);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (std::int64_t v = 0; v < shape.vectors; ++v, window += 64) {
      __m512i all = _mm512_setzero_si512();
      for (std::size_t i = 0; i < weave.lanes.size(); ++i) {
        const std::byte* from = weave.lanes[i].packed + round * shape.lane_step + shape.first[v][i];
        const __m512i places = _mm512_load_si512(shape.places[v][i]);
        all = _mm512_mask_permutexvar_epi8(all, shape.members[v][i], places,
                                           _mm512_loadu_si512(from));
      }
      _mm512_storeu_si512(window, all);
    }
  }
  return rounds * shape.lane_step / weave.bytes;
}

// What is left of a weave from `period` on, lane by lane.
void scatter_rest(const Weave& weave, std::int64_t period, const CopyKernels& kernels,
                  std::byte* window) {
  if (period == weave.periods) return;
  for (const Lane& lane : weave.lanes)
    kernels.scatter({.bytes = weave.bytes, .count = weave.periods - period, .stride = weave.stride},
                    lane.packed + period * weave.bytes, window + period * weave.stride + lane.slot);
}

// Lane by lane, in steps that stay in the first-level cache.
void gather_lanes(const Weave& weave, const CopyKernels& kernels, const std::byte* window) {
  const std::int64_t step = 8192 / weave.stride;
  for (std::int64_t period = 0; period < weave.periods; period += step)
    for (const Lane& lane : weave.lanes)
      kernels.gather({.bytes = weave.bytes,
                      .count = std::min(step, weave.periods - period),
                      .stride = weave.stride},
                     window + period * weave.stride + lane.slot,
                     lane.packed + period * weave.bytes);
}

}  // namespace

void interleave_avx2(const Weave& weave, std::byte* window) {
  if (!fits(weave)) return interleave_portable(weave, window);
  scatter_rest(weave, zip_avx2(weave, window), copy_kernels(SimdLevel::avx2), window);
}

void deinterleave_avx2(const Weave& weave, const std::byte* window) {
  if (!fits(weave)) return deinterleave_portable(weave, window);
  gather_lanes(weave, copy_kernels(SimdLevel::avx2), window);
}

void interleave_avx512(const Weave& weave, std::byte* window) {
  if (!fits(weave)) return interleave_portable(weave, window);
  scatter_rest(weave, zip_avx512(weave, window), copy_kernels(SimdLevel::avx512), window);
}

void deinterleave_avx512(const Weave& weave, const std::byte* window) {
  if (!fits(weave)) return deinterleave_portable(weave, window);
  gather_lanes(weave, copy_kernels(SimdLevel::avx512), window);
}

}  // namespace tutti::pattern_detail

#endif
