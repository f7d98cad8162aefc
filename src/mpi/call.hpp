// MPI calls that Tutti makes itself use PMPI_ names, so that tools stacked on MPI_ do not see them.
#pragma once

#include <mpi.h>

#include <string_view>

#include "base/result.hpp"

namespace tutti {

// Local. An MPI return code as a Status: ErrorKind::internal, with the host's own text after
// `call`.
Status mpi_status(int code, std::string_view call);

// Local. The same for a call that makes a communicator, of which hosts have a limited number:
// ErrorKind::no_memory.
Status communicator_status(int code, std::string_view call);

// Local. Between MPI_Init and MPI_Finalize.
bool mpi_is_running();

}  // namespace tutti
