// The message executor: runs any plan, phase by phase, with nonblocking messages between real
// partners.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "exec/round_access.hpp"

namespace tutti {

// Collective. Returns this rank's own failure; the caller lets all ranks agree. A rank that fails
// stays in step: it ships and lands what the plan says and accesses storage no more.
std::optional<Error> run_messages(RunningCall& call);

}  // namespace tutti
