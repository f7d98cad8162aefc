#include "exec/collective_state.hpp"

#include "exec/open_file.hpp"
#include "exec/ranks_talk.hpp"

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
  file.collective = std::move(state);
  return file.collective.get();
}

}  // namespace tutti
