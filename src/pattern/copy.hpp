// Copies between a pattern's bytes and a contiguous buffer, at memory speed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pattern/pattern.hpp"

namespace tutti {

// Stream bytes [begin, end) of `pattern`, whose offsets count from `base`, into `packed`.
void pack(const Pattern& pattern, const std::byte* base, std::int64_t begin, std::int64_t end,
          std::byte* packed);

// The reverse: `packed` to the places of stream bytes [begin, end).
void unpack(const Pattern& pattern, std::byte* base, std::int64_t begin, std::int64_t end,
            const std::byte* packed);

}  // namespace tutti
