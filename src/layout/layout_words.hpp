// Layouts as plain numbers: what one rank tells the others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "layout/stripe_layout.hpp"

namespace tutti {

std::vector<std::int64_t> table_words(const PlacementTable& table);
std::vector<std::int64_t> layout_words(const StripeLayout& layout);

// The layout that layout_words() turned into `words`; fails with invalid_argument for words that
// are none.
Result<StripeLayout> layout_from_words(std::span<const std::int64_t> words);

}  // namespace tutti
