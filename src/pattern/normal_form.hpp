// Finds the structure in lists: adjacent runs merge, constant strides become repetitions.
// Private to src/pattern.
#pragma once

#include <span>

#include "pattern/node.hpp"

namespace tutti::pattern_detail {

// A node and where its first stream byte lies.
struct PlacedNode {
  std::int64_t offset = 0;
  NodePtr node;
};

// The normal form of runs in stream order. `node` is null when no run has a byte.
PlacedNode normal_runs(std::span<const Extent> runs);

// The normal form of placed nodes in stream order. `node` is null when the list is empty.
PlacedNode normal_sequence(std::vector<PlacedNode> list);

}  // namespace tutti::pattern_detail
