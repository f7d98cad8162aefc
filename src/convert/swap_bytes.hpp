// Elements in the other byte order, at memory speed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tutti {

enum class SwapLevel : std::uint8_t { portable, ssse3, avx2 };

// The best level that this processor has.
SwapLevel best_swap_level();

// Copies `count` elements of `width` bytes, each in reverse order. The two places are the same or
// do not overlap. REQUIRES: width is 1, 2, 4, 8 or 16.
void swap_bytes(std::int64_t width, std::int64_t count, const std::byte* from, std::byte* to);

// The same by the means of one level. REQUIRES: level <= best_swap_level().
void swap_bytes(SwapLevel level, std::int64_t width, std::int64_t count, const std::byte* from,
                std::byte* to);

}  // namespace tutti
