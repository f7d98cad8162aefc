// Calls that return before their bytes have moved: nonblocking ones, which hand out a request, and
// split collectives.
#pragma once

#include <mpi.h>

#include "api/data_request.hpp"

namespace tutti {

// Local. Starts what move_data does and hands out a request for it; collective calls are started in
// the same order on every rank. Wrong arguments are raised at once, those of collective calls on
// every rank when the request is completed, as is all that happens later.
int start_data(const DataCall& call, MPI_File handle, const DataArguments& arguments,
               MPI_Request* request) noexcept;

// Local, in the same order on every rank. The first half of a split collective: starts the work.
int begin_split(const DataCall& call, MPI_File handle, const DataArguments& arguments) noexcept;

// The second half: waits for the work, fills `status`, raises what went wrong. `call_name` must be
// the end that belongs to the active beginning.
int end_split(const char* call_name, MPI_File handle, MPI_Status* status) noexcept;

}  // namespace tutti
