// Access that goes on after its call has returned: where requests and operations meet.
#pragma once

#include <mpi.h>

#include "api/file.hpp"
#include "base/result.hpp"
#include "request/access.hpp"

namespace tutti {

// Local. Starts to move the bytes of `access`, which no other rank takes part in, and makes the
// request for it; errors while it goes on are raised by `call` when the request is completed. The
// access carries its place in the stream, so any kind of file pointer can stand behind it.
Status start_alone(const char* call, MPI_File handle, File& file, Access access,
                   MPI_Request* request);

}  // namespace tutti
