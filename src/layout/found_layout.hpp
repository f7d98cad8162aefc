// What a file system says about one file's striping.
#pragma once

#include <cstdint>

#include "layout/stripe_layout.hpp"

namespace tutti {

// In the file system's own numbers, as hints are; 0: it does not say.
struct Striping {
  std::int64_t unit_bytes = 0;
  std::int64_t factor = 0;
  std::int64_t first_device = 0;

  friend bool operator==(const Striping&, const Striping&) = default;
};

struct FoundLayout {
  StripeLayout layout;
  Striping striping;
};

}  // namespace tutti
