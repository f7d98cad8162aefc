// Hints from and to MPI_Info objects.
#pragma once

#include <mpi.h>

#include "base/result.hpp"
#include "exec/open_file.hpp"
#include "mpi/owned.hpp"
#include "request/hints.hpp"

namespace tutti {

// Local. `base` with what `info` says; unknown keys are ignored. The first rank says one line per
// bad value on stderr.
Result<Hints> hints_with(const Hints& base, MPI_Info info, bool first_rank);

// Local. A new object that lists the hints in use; what the storage decides as it has decided.
Result<OwnedInfo> info_of(const OpenFile& file);

}  // namespace tutti
