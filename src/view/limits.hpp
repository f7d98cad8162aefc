// Offsets and sizes stay below 2^61, so that sums of two of them cannot overflow. Private to
// src/view.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "pattern/pattern.hpp"

namespace tutti {

inline constexpr std::int64_t kOffsetLimit = std::int64_t{1} << 61;

inline tl::unexpected<Error> too_wide() {
  return fail(ErrorKind::invalid_type, "datatype spreads over 2^61 bytes or more");
}

inline bool within_limit(std::int64_t offset) {
  return -kOffsetLimit < offset && offset < kOffsetLimit;
}

// index · unit + rest, if it is within the limit.
inline std::optional<std::int64_t> checked_offset(std::int64_t index, std::int64_t unit,
                                                  std::int64_t rest) {
  std::int64_t offset = 0;
  if (__builtin_mul_overflow(index, unit, &offset) || __builtin_add_overflow(offset, rest, &offset))
    return std::nullopt;
  return within_limit(offset) ? std::optional(offset) : std::nullopt;
}

// Pattern::repeat, or too_wide(). REQUIRES: child within the limit.
inline Result<Pattern> checked_repeat(std::int64_t count, std::int64_t stride,
                                      const Pattern& child) {
  if (child.empty() || count <= 0) return Pattern();
  if (!checked_offset(count, child.size(), 0) ||
      !checked_offset(count - 1, stride, child.lower()) ||
      !checked_offset(count - 1, stride, child.upper()))
    return too_wide();
  return Pattern::repeat(count, stride, child);
}

}  // namespace tutti
