// A contiguous range of bytes in a file or in memory.
#pragma once

#include <cstdint>

namespace tutti {

struct Extent {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;

  constexpr std::int64_t end() const { return offset + bytes; }
  friend constexpr bool operator==(const Extent&, const Extent&) = default;
};

}  // namespace tutti
