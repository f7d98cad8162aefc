// Executor for ranks of one node: bytes change hands in memory that all of them map.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "exec/round_access.hpp"

namespace tutti {

// Collective over the file's ranks. Returns this rank's failure; a failing rank stays in step.
// REQUIRES: an available arena and node block, a plan with at most one phase
// whose windows are not listed.
std::optional<Error> read_by_arena(RunningCall& call);
std::optional<Error> write_by_arena(RunningCall& call);

}  // namespace tutti
