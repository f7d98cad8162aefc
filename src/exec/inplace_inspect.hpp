// The irregular in-place inspector between processes: counts and descriptors travel phase by phase
// along the same partners as the data will.
#pragma once

#include <mpi.h>

#include <optional>
#include <span>

#include "base/counters.hpp"
#include "base/result.hpp"
#include "strategy/inplace_plan.hpp"

namespace tutti::inplace {

// Collective over `comm`. `distribution` lists this rank's elements in the order in which it stores
// them; ranks may hold the same elements (the highest one is written, all are read). A rank that
// cannot take part passes its `refusal`. All ranks get their plan, or all the same error.
Result<InplacePlan> inspect_tuples(MPI_Comm comm, std::span<const Tuple> distribution,
                                   const std::optional<Error>& refusal, Counters& counters);

}  // namespace tutti::inplace
