// Where the bytes of a round-robin striped file lie inside the component that each I/O node keeps.
// Component c holds the stripes s with layout.node_of(s * unit) == c, packed without gaps.
#pragma once

#include <cstdint>
#include <optional>

#include "layout/stripe_layout.hpp"

namespace tutti {

// All REQUIRE layout.unit_bytes > 0, layout.io_nodes > 0 and 0 <= first_node < io_nodes.

// The offset inside its component of the byte at `offset` of the file.
std::int64_t component_offset(const StripeLayout& layout, std::int64_t offset);

// How many bytes component `node` holds of a file of `file_bytes`.
std::int64_t component_bytes(const StripeLayout& layout, std::int32_t node,
                             std::int64_t file_bytes);

// The smallest file whose component `node` has `bytes`; nothing if it would pass 2^63 - 1.
std::optional<std::int64_t> file_bytes_for(const StripeLayout& layout, std::int32_t node,
                                           std::int64_t bytes);

}  // namespace tutti
