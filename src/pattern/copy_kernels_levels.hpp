// The kernels of each instruction level, for the table in copy_kernels.cpp and nobody else.
#pragma once

#include "pattern/copy_kernels.hpp"

namespace tutti::pattern_detail {

#if defined(__x86_64__)
void gather_avx2(const Plane& plane, const std::byte* memory, std::byte* packed);
void scatter_avx2(const Plane& plane, const std::byte* packed, std::byte* memory);
void gather_list_avx2(const RunList& list, const std::byte* memory, std::byte* packed);
void scatter_list_avx2(const RunList& list, const std::byte* packed, std::byte* memory);
void interleave_avx2(const Weave& weave, std::byte* window);
void deinterleave_avx2(const Weave& weave, const std::byte* window);

void gather_avx512(const Plane& plane, const std::byte* memory, std::byte* packed);
void scatter_avx512(const Plane& plane, const std::byte* packed, std::byte* memory);
void gather_list_avx512(const RunList& list, const std::byte* memory, std::byte* packed);
void scatter_list_avx512(const RunList& list, const std::byte* packed, std::byte* memory);
void interleave_avx512(const Weave& weave, std::byte* window);
void deinterleave_avx512(const Weave& weave, const std::byte* window);
#endif

}  // namespace tutti::pattern_detail
