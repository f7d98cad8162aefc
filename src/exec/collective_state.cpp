#include "exec/collective_state.hpp"

#include "exec/open_file.hpp"
#include "exec/ranks_talk.hpp"
#include "exec/starting_hints.hpp"

namespace tutti {

InspectCall inspect_call(OpenFile& file, CollectiveState& state, RanksTalk& talk) {
  return {talk.exchange(), file.rank, file.ranks, file.hints, state.inspector, file.counters};
}

Result<CollectiveState*> collective_state(OpenFile& file) {
  if (file.collective) return file.collective.get();
  auto state = std::make_unique<CollectiveState>();
  static_cast<Connections&>(*state) = std::move(file.links.connections);
  state->inspector.topology = file.links.topology;
  state->inspector.layout = file.device->layout();
  state->inspector.layout_print = state->inspector.layout.print();
  state->inspector.layout_for = [&device = file.device](Extent range) {
    return device->layout_for(range);
  };
  const StripeLayout& layout = state->inspector.layout;
  if (file.rank == 0 && file.hints.strategy == "resonant" && layout.complete() && !layout.striped())
    complain(file.name + ": not striped as far as is known; tutti_strategy=resonant does what " +
             "two-phase does");
  file.collective = std::move(state);
  return file.collective.get();
}

}  // namespace tutti
