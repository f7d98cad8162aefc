// Patterns as bytes, for descriptors that travel between ranks and for trace files.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "pattern/pattern.hpp"

namespace tutti {

// Appends a compact form (variable-length integers, differences): some dozens of bytes for a
// regular pattern, a few bytes per piece for an irregular one.
void serialise(const Pattern& pattern, std::vector<std::byte>& out);

// Reads one pattern and moves `in` past it. Any malformed input gives invalid_argument.
Result<Pattern> deserialise(std::span<const std::byte>& in);

}  // namespace tutti
