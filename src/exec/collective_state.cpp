#include "exec/collective_state.hpp"

#include "exec/open_file.hpp"
#include "exec/progress.hpp"
#include "exec/ranks_talk.hpp"
#include "mpi/call.hpp"

namespace tutti {

InspectCall inspect_call(OpenFile& file, CollectiveState& state, RanksTalk& talk) {
  return {talk.exchange(), file.rank, file.ranks, file.hints, state.inspector, file.counters};
}

Result<CollectiveState*> collective_state(OpenFile& file) {
  if (file.collective) return file.collective.get();
  auto state = std::make_unique<CollectiveState>();
  auto topology = find_topology(file.comm.get());
  if (!topology) return tl::make_unexpected(topology.error());
  state->inspector.topology = std::move(*topology);
  state->inspector.layout = file.device->layout();
  const bool wanted = file.hints.transport != TransportChoice::messages;
  const bool one_node = state->inspector.topology.one_node;
  if (wanted) {
    auto peers = PeerMemory::probe(file.comm.get(), state->inspector.topology.node_of);
    if (!peers) return tl::make_unexpected(peers.error());
    state->peers = std::move(*peers);
  }
  if (one_node && wanted) {
    auto node = NodeBlock::create(file.comm.get(), sizeof(CallCard));
    if (!node) return tl::make_unexpected(node.error());
    state->node = std::move(*node);
    state->node.set_while_waiting(progress_while_waiting);
    auto arena = Arena::create(file.comm.get(), file.ranks);
    if (!arena) return tl::make_unexpected(arena.error());
    state->arena = std::move(*arena);
    state->arena.set_while_waiting(progress_while_waiting);
  }
  if (one_node && state->peers.available()) {
    state->table = std::make_unique<StagingTable>(file.ranks);
    state->table_of.resize(static_cast<std::size_t>(file.ranks));
    const auto mine = reinterpret_cast<std::uint64_t>(state->table->slots.data());
    if (auto told = mpi_status(PMPI_Allgather(&mine, 1, MPI_UINT64_T, state->table_of.data(), 1,
                                              MPI_UINT64_T, file.comm.get()),
                               "MPI_Allgather");
        !told)
      return tl::make_unexpected(told.error());
  }
  file.collective = std::move(state);
  return file.collective.get();
}

}  // namespace tutti
