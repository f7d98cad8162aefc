// What the ranks of an open file have between them. It costs many messages to make, so that the
// next file which the same ranks open gets what a closed one left.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "exec/arena.hpp"
#include "exec/peer_memory.hpp"
#include "inspect/topology.hpp"
#include "mpi/node_block.hpp"
#include "mpi/owned.hpp"

namespace tutti {

// Where a rank's packed bytes for each owner lie, in two halves: a round uses one while owners may
// still read the other. Read by peers, so it never moves.
struct StagingTable {
  explicit StagingTable(int ranks) : slots(2 * static_cast<std::size_t>(ranks)) {}
  std::uint64_t& slot(std::int64_t round, int owner) {
    return slots[static_cast<std::size_t>(round % 2) * (slots.size() / 2) +
                 static_cast<std::size_t>(owner)];
  }
  std::vector<std::uint64_t> slots;
};

// How the ranks reach each other's memory.
struct Connections {
  PeerMemory peers;
  NodeBlock node;                       // available where all ranks share one
  Arena arena;                          // likewise
  std::unique_ptr<StagingTable> table;  // with `peers`: this rank's table, and where others' are
  std::vector<std::uint64_t> table_of;
};

struct FileLinks {
  OwnedComm comm;  // private duplicate; ranks of one node meet in a block on it
  Topology topology;
  Connections connections;
  bool shares_memory = true;  // false: messages only
  bool has_node = false;      // whether connections.node was available when they were made
  std::uint64_t id = 0;       // the same on all ranks
};

// Collective over `comm`. Ranks that share no memory get no connections; if one wants none, nobody
// gets any.
Result<FileLinks> take_links(MPI_Comm comm, bool shares_memory);

// Collective over `comm`, the duplicate. New connections in place of others.
Result<Connections> connect(MPI_Comm comm, const Topology& topology, bool shares_memory);

// Collective. For the next take_links(), or released where enough are kept.
void give_back(FileLinks links);

}  // namespace tutti
