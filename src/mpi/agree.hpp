// How ranks that went through a collective operation learn together whether it succeeded.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <optional>

#include "base/result.hpp"

namespace tutti {

// Collective. Success on every rank if no rank passes a failure; otherwise every rank returns the
// kind and message of the lowest rank that failed. Costs one reduction of one integer on success.
Status agree(MPI_Comm comm, const std::optional<Error>& failure);

// Collective. What rank 0 passes, value or error, on every rank; the others' argument is not looked
// at.
Result<std::int64_t> told_by_first(MPI_Comm comm, const Result<std::int64_t>& found);

}  // namespace tutti
