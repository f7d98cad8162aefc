// A collective call in which every rank accesses its own bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.hpp"
#include "exec/round_access.hpp"

namespace tutti {

// Collective only where the plan is timed. Returns this rank's own failure; `moved` becomes the
// bytes it moved.
std::optional<Error> run_independent(RunningCall& call, std::int64_t& moved);

// Collective. A listed plan whose owners read ahead: in every round owners ask storage for their
// windows, all meet, and every rank reads what it needs.
// Returns this rank's own failure; a rank that fails stays in step.
std::optional<Error> run_prefetch(RunningCall& call);

}  // namespace tutti
