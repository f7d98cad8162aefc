// Whether the ranks together leave a hole in a range of the file.
#pragma once

#include <cstdint>
#include <span>

#include "base/extent.hpp"
#include "request/access.hpp"

namespace tutti {

// What an answer cost.
struct CoverageWork {
  std::int64_t regions = 0;  // periodic stretches looked at
  std::int64_t runs = 0;     // single pieces marked, where no period helps
};

// Local. Whether every byte of `window` belongs to at least one of the accesses; exact, also where
// they overlap. Regular accesses are judged by one common period, whatever the window's length;
// irregular ones in window / 8 + pieces steps with a bounded bitmap. REQUIRES: monotone streams.
bool union_covers(std::span<const FileRange> accesses, Extent window, CoverageWork* work = nullptr);

}  // namespace tutti
