// The individual file pointer of one access.
#pragma once

#include <cstdint>

#include "api/file.hpp"

namespace tutti {

// Moves the individual pointer back from `claimed` bytes to the whole etypes among `moved`.
inline void give_back(File& file, std::int64_t claimed, std::int64_t moved) {
  if (moved == claimed) return;  // a whole number of etypes, as every access
  const std::int64_t used = moved - moved % file.view.etype_bytes;
  file.position.fetch_sub(claimed - used, std::memory_order_relaxed);
}

// Keeps the individual pointer right: claims the bytes at once, so that threads that read by the
// same pointer get different ones, and gives back what did not move, in whole etypes.
class PointerClaim {
 public:
  PointerClaim(File& file, std::int64_t bytes) : file_(&file), bytes_(bytes) {
    first_ = file.position.fetch_add(bytes, std::memory_order_relaxed);
  }
  std::int64_t first() const { return first_; }
  void settle(std::int64_t moved) { give_back(*file_, bytes_, moved); }

 private:
  File* file_;
  std::int64_t bytes_;
  std::int64_t first_;
};

}  // namespace tutti
