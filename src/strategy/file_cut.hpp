// How a range of the file is cut for its owners: boundaries, windows and rounds.
#pragma once

#include <cstdint>

#include "base/extent.hpp"
#include "layout/stripe_layout.hpp"

namespace tutti {

// Boundaries lie on multiples of this where the file is touched in parts of kAlignedBytes or more;
// smaller parts are cut to the byte.
constexpr std::int64_t kPageBytes = 4096;
constexpr std::int64_t kAlignedBytes = 64 << 10;

// What a boundary between parts of `part_bytes` should be a multiple of: the stripe unit, a page,
// or one byte.
std::int64_t boundary_unit(const StripeLayout& layout, std::int64_t part_bytes);

// Where part `part` of `parts` begins; at `parts`, the end. Sizes differ by one byte, or by one
// unit where unit > 1. REQUIRES: parts >= 1, 0 <= part <= parts, unit >= 1.
std::int64_t part_begin(Extent range, std::int64_t parts, std::int64_t part, std::int64_t unit);

struct Rounds {
  std::int64_t count = 0;
  std::int64_t window_bytes = 0;  // of one owner in one round
};

// `domain_bytes` in equal windows of at most `most_bytes`, which is at least 1. Windows of
// kAlignedBytes and more are multiples of `unit`, a page or a byte. Nothing to cut: no round.
Rounds cut_rounds(std::int64_t domain_bytes, std::int64_t most_bytes, std::int64_t unit);

}  // namespace tutti
