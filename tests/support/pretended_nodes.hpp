// Ranks of one machine that take themselves for ranks of several.
#pragma once

#include <gtest/gtest.h>

#include <utility>

#include "exec/collective_state.hpp"
#include "exec/open_file.hpp"

namespace tutti::test {

// Collective. Every `ranks_per_node` ranks take each other for neighbours and the rest for far
// away.
inline void pretend_nodes(OpenFile& file, int ranks_per_node) {
  auto state = collective_state(file);
  ASSERT_TRUE(state.has_value());
  Topology& topology = (*state)->inspector.topology;
  for (int r = 0; r < file.ranks; ++r)
    topology.node_of[static_cast<std::size_t>(r)] = r / ranks_per_node * ranks_per_node;
  topology.one_node = file.ranks <= ranks_per_node;
  auto peers = PeerMemory::probe(file.comm.get(), topology.node_of);
  ASSERT_TRUE(peers.has_value());
  (*state)->peers = std::move(*peers);
  (*state)->node = NodeBlock();
  (*state)->arena = Arena();
}

}  // namespace tutti::test
