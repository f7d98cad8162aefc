// Hints from and to MPI_Info objects.
#pragma once

#include <mpi.h>

#include "base/result.hpp"
#include "mpi/owned.hpp"
#include "request/hints.hpp"

namespace tutti {

// Local. `base` with what `info` says; unknown keys are ignored. One line per bad value on stderr
// where `complain` is set.
Result<Hints> hints_with(const Hints& base, MPI_Info info, bool complain);

// Local. The hints every file starts with: defaults, changed by the environment.
Hints environment_hints(bool complain);

// Local. A number that differs for different hints.
std::int64_t hints_key(const Hints& hints);

// Collective. Rank 0's hints, for ranks that found them different.
Result<Hints> hints_of_first(MPI_Comm comm, const Hints& mine);

// Local. A new object that lists the hints in use.
Result<OwnedInfo> info_of(const Hints& hints);

}  // namespace tutti
