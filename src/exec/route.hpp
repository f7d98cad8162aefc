// How the bytes of one call get from rank to rank: by which executor it runs.
#pragma once

#include <optional>

#include "base/carrying.hpp"
#include "exec/round_access.hpp"

namespace tutti {

enum class Transport { messages, peer_memory, arena, own_pages };

// A write whose bytes can get to their owners in both ways, and enough of them to learn from.
struct Carried {
  CarryingKind kind;
  CarryingWay way;
  std::int64_t bytes;  // of all ranks
};

struct Route {
  Transport transport;
  std::optional<Carried> carried;
};

// The same on all ranks. REQUIRES: a plan that is neither independent nor a prefetch.
Route route_of(const RunningCall& call);

}  // namespace tutti
