// What collective calls on one open file keep from call to call.
#pragma once

#include <memory>
#include <vector>

#include "base/scratch.hpp"
#include "exec/arena.hpp"
#include "exec/peer_memory.hpp"
#include "inspect/inspector.hpp"
#include "mpi/node_block.hpp"
#include "transfer/background.hpp"

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

class CollectiveState {
 public:
  InspectorState inspector;
  PeerMemory peers;
  NodeBlock node;  // available where all ranks share one
  Arena arena;     // likewise

  NodeBlock* node_block() { return node.available() ? &node : nullptr; }
  // Whether the ranks agree on plans and outcomes without an MPI call.
  bool talks_without_mpi() const { return node.available() && peers.available(); }
  // Shared-memory transport: this rank's table, and where the peers' tables are.
  std::unique_ptr<StagingTable> table;
  std::vector<std::uint64_t> table_of;
  Scratch windows[2];
  Scratch slots;
  Scratch staging[2];

  // Local. Made at its first use; gone before the device is closed.
  Background& background(Device& device) {
    if (!background_) background_ = std::make_unique<Background>(device);
    return *background_;
  }

 private:
  std::unique_ptr<Background> background_;
};

struct OpenFile;

class RanksTalk;

// Local. What the inspector needs of a file.
InspectCall inspect_call(OpenFile& file, CollectiveState& state, RanksTalk& talk);

// Collective. Made at the first collective access; later calls return at once.
Result<CollectiveState*> collective_state(OpenFile& file);

}  // namespace tutti
