// How the bytes of one call get from rank to rank: by which executor it runs.
#pragma once

#include <cstdint>
#include <optional>

#include "exec/round_access.hpp"

namespace tutti {

enum class Transport { messages, peer_memory, arena, own_pages };

// A write of enough bytes to learn from: its owners could fetch them from the memory of other
// ranks, or ranks could put them into the arena. Which is quicker depends on what the system
// charges for reaching into another process. For CollectiveState::carrying.
struct Carried {
  int kind;            // calls that are told apart, because what suits one does not suit the other
  int way;             // 0: fetched, 1: by the arena
  std::int64_t bytes;  // of all ranks
};

struct Route {
  Transport transport;
  std::optional<Carried> carried;
};

// The same on all ranks: where there is a choice, what rank 0 votes for. REQUIRES: a plan that is
// neither independent nor a prefetch.
Route route_of(const RunningCall& call);

}  // namespace tutti
