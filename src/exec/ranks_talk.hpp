// How the ranks of a file talk to each other during one collective access.
#pragma once

#include "exec/collective_state.hpp"
#include "exec/node_exchange.hpp"
#include "exec/open_file.hpp"
#include "inspect/mpi_exchange.hpp"
#include "mpi/mpi_caller.hpp"

namespace tutti {

class RanksTalk {
 public:
  RanksTalk(OpenFile& file, CollectiveState& state, MpiCaller& caller)
      : without_mpi_(state.talks_without_mpi()),
        node_(state.node, state.peers),
        mpi_(file.comm.get(), state.node_block(), caller),
        caller_(caller) {}

  Exchange& exchange() { return without_mpi_ ? static_cast<Exchange&>(node_) : mpi_; }
  MpiCaller& caller() { return caller_; }

 private:
  bool without_mpi_;
  NodeExchange node_;
  MpiExchange mpi_;
  MpiCaller& caller_;
};

}  // namespace tutti
