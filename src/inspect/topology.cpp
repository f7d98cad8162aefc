#include "inspect/topology.hpp"

#include <algorithm>

#include "mpi/call.hpp"
#include "mpi/owned.hpp"

namespace tutti {

namespace {

// Local. The rank in `comm` of the first process of `node`.
std::int32_t first_rank_of(MPI_Comm node, MPI_Comm comm) {
  MPI_Group near = MPI_GROUP_NULL;
  MPI_Group all = MPI_GROUP_NULL;
  PMPI_Comm_group(node, &near);
  PMPI_Comm_group(comm, &all);
  const int first = 0;
  int found = 0;
  PMPI_Group_translate_ranks(near, 1, &first, all, &found);
  PMPI_Group_free(&near);
  PMPI_Group_free(&all);
  return found;
}

}  // namespace

Result<Topology> find_topology(MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  OwnedComm node;
  if (auto split = communicator_status(
          PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, node.fill()),
          "MPI_Comm_split_type");
      !split)
    return tl::make_unexpected(split.error());
  const std::int32_t leader = first_rank_of(node.get(), comm);
  Topology found;
  found.node_of.resize(static_cast<std::size_t>(ranks));
  PMPI_Allgather(&leader, 1, MPI_INT32_T, found.node_of.data(), 1, MPI_INT32_T, comm);
  found.one_node = std::all_of(found.node_of.begin(), found.node_of.end(),
                               [&](std::int32_t n) { return n == found.node_of[0]; });
  return found;
}

}  // namespace tutti
