// The bytes of a pattern in a window, told as a few stretches in which they repeat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/extent.hpp"
#include "pattern/pattern.hpp"

namespace tutti {

// In [begin, end) byte x belongs to the pattern exactly if x + period does, as long as both lie in
// it. Period 1: all bytes belong to it. Period 0: nothing is known.
struct Region {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t period = 0;

  friend bool operator==(const Region&, const Region&) = default;
};

// Appends ascending disjoint regions inside `window`; outside them the pattern has no byte there.
// A repetition with only a few rounds in the window is told by its parts. Lists that would need
// more than about `limit` regions become one of period 0: the cost never depends on their length.
// REQUIRES: pattern.is_monotone().
void append_regions(const Pattern& pattern, Extent window, std::size_t limit,
                    std::vector<Region>& out);

}  // namespace tutti
