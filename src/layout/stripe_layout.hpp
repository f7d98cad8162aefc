// Which I/O node holds which bytes of a file. Round robin in closed form; other placements follow
// with the probes that discover them.
#pragma once

#include <cstdint>

namespace tutti {

struct StripeLayout {
  std::int64_t unit_bytes = 0;  // 0: the storage has no striping anybody can use
  std::int32_t io_nodes = 1;
  std::int32_t first_node = 0;

  bool striped() const { return unit_bytes > 0 && io_nodes > 1; }
  // REQUIRES: unit_bytes > 0, offset >= 0.
  std::int32_t node_of(std::int64_t offset) const {
    return static_cast<std::int32_t>((offset / unit_bytes + first_node) % io_nodes);
  }
  friend bool operator==(const StripeLayout&, const StripeLayout&) = default;
};

}  // namespace tutti
