// Copies past the caches, for memory that is not looked at again soon: twice the speed of memcpy
// into a large buffer, because its old lines are not fetched first.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pattern/pattern.hpp"

namespace tutti {

// The same as memcpy. Other processors see the bytes after the next synchronising operation.
void copy_streaming(std::byte* to, const std::byte* from, std::int64_t bytes);

// The same as pack(); past the caches where the pattern's runs are long enough for it.
void pack_streaming(const Pattern& pattern, const std::byte* base, std::int64_t begin,
                    std::int64_t end, std::byte* packed);

// The same as unpack(); past the caches where the pattern's runs are long enough for it.
void unpack_streaming(const Pattern& pattern, std::byte* base, std::int64_t begin, std::int64_t end,
                      const std::byte* packed);

}  // namespace tutti
