#include "pattern/copy_kernels.hpp"

#include <array>

#include "pattern/copy_kernels_levels.hpp"
#include "pattern/interleave_kernels_inline.hpp"

namespace tutti::pattern_detail {

namespace {

void gather_portable(const Plane& plane, const std::byte* memory, std::byte* packed) {
  gather_any(plane, memory, packed);
}

void scatter_portable(const Plane& plane, const std::byte* packed, std::byte* memory) {
  copy_runs<false>(plane, memory, packed);
}

void gather_list_portable(const RunList& list, const std::byte* memory, std::byte* packed) {
  copy_list<true>(list, memory, packed);
}

void scatter_list_portable(const RunList& list, const std::byte* packed, std::byte* memory) {
  copy_list<false>(list, memory, packed);
}

void interleave_portable(const Weave& weave, std::byte* window) {
  copy_weave<false>(copy_kernels(SimdLevel::portable), weave, window);
}

void deinterleave_portable(const Weave& weave, const std::byte* window) {
  copy_weave<true>(copy_kernels(SimdLevel::portable), weave, window);
}

constexpr CopyKernels kPortable{gather_portable,       scatter_portable,    gather_list_portable,
                                scatter_list_portable, interleave_portable, deinterleave_portable};

#if defined(__x86_64__)
constexpr std::array<CopyKernels, 3> kLevels{
    kPortable,
    CopyKernels{gather_avx2, scatter_avx2, gather_list_avx2, scatter_list_avx2, interleave_avx2,
                deinterleave_avx2},
    CopyKernels{gather_avx512, scatter_avx512, gather_list_avx512, scatter_list_avx512,
                interleave_avx512, deinterleave_avx512}};
#else
constexpr std::array<CopyKernels, 1> kLevels{kPortable};
#endif

}  // namespace

SimdLevel best_simd_level() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vbmi"))
    return SimdLevel::avx512;
  if (__builtin_cpu_supports("avx2")) return SimdLevel::avx2;
#endif
  return SimdLevel::portable;
}

const CopyKernels& copy_kernels(SimdLevel level) {
  return kLevels[static_cast<std::size_t>(level)];
}

const CopyKernels& copy_kernels() {
  static const CopyKernels& best = copy_kernels(best_simd_level());
  return best;
}

}  // namespace tutti::pattern_detail
