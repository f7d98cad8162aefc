// How the ranks of a file talk to each other during one collective access.
#pragma once

#include "exec/collective_state.hpp"
#include "exec/node_exchange.hpp"
#include "exec/open_file.hpp"
#include "exec/progress.hpp"
#include "inspect/mpi_exchange.hpp"
#include "mpi/mpi_caller.hpp"

namespace tutti {

class RanksTalk {
 public:
  RanksTalk(OpenFile& file, CollectiveState& state, MpiCaller& caller)
      : without_mpi_(state.talks_without_mpi()),
        node_(state.node, state.peers),
        caller_(for_distance(caller, state)),
        mpi_(file.comm.get(), state.node_block(), caller_) {}

  Exchange& exchange() { return without_mpi_ ? static_cast<Exchange&>(node_) : mpi_; }
  MpiCaller& caller() { return caller_; }

 private:
  // What comes from another node takes its time: who waits for it sleeps.
  static MpiCaller& for_distance(MpiCaller& caller, const CollectiveState& state) {
    const bool far = !state.inspector.topology.one_node;
    return far && caller.may_block() ? patient_caller() : caller;
  }

  bool without_mpi_;
  NodeExchange node_;
  MpiCaller& caller_;
  MpiExchange mpi_;
};

}  // namespace tutti
