// Access that goes on after its call has returned: where requests and operations meet.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>

#include "api/file.hpp"
#include "base/result.hpp"
#include "exec/operation.hpp"
#include "request/access.hpp"

namespace tutti {

// Local. Starts to move the bytes of `access`, which no other rank takes part in, and makes the
// request for it; errors while it goes on are raised by `call` when the request is completed. The
// access carries its place in the stream, so any kind of file pointer can stand behind it.
Status start_alone(const char* call, MPI_File handle, File& file, Access access,
                   MPI_Request* request);

// Local, in the same order on every rank. The same for an access that all ranks take part in, each
// with its own request; a rank that cannot passes its refusal.
Status start_together(const char* call, MPI_File handle, File& file, Access access,
                      std::optional<Error> refusal, MPI_Request* request);

// The same without a request: the first half of a split collective.
std::shared_ptr<Operation> begin_together(File& file, Access access, std::optional<Error> refusal);

}  // namespace tutti
