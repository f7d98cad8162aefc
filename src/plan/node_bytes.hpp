// How much of what a rank asks for lies on each I/O node.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/stripe_layout.hpp"
#include "request/access.hpp"

namespace tutti {

// Local. One count for every I/O node; bytes that a table does not place count for node 0. Regular
// streams on round robin are counted by one common period, whatever their length; otherwise the
// work grows with the stripes in the range. Empty without data or striping, or where the stream is
// not monotone.
std::vector<std::int64_t> bytes_on_nodes(const FileRange& range, const StripeLayout& layout);

}  // namespace tutti
