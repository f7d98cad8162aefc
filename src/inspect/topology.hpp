// Which ranks of a communicator share memory.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/result.hpp"

namespace tutti {

struct Topology {
  std::vector<std::int32_t> node_of;  // per rank: the lowest rank on its node
  bool one_node = true;
};

// Collective.
Result<Topology> find_topology(MPI_Comm comm);

}  // namespace tutti
