// The shared-memory executor, for plans with direct exchange on one node: each owner fetches what
// it needs from its peers' memory, interleaves it in cache-sized windows and accesses the file; for
// a read it puts the bytes where they belong. No message is sent while it runs.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "exec/round_access.hpp"

namespace tutti {

// Collective. Returns this rank's own failure; the caller lets all ranks agree.
std::optional<Error> run_pull(RunningCall& call);

}  // namespace tutti
