// The one place where an Error becomes an MPI error class or code.
#pragma once

#include "base/result.hpp"

namespace tutti {

// Local. Never calls MPI.
int error_class(ErrorKind kind);

// Local. An error code of the kind's class whose MPI_Error_string names `call` and holds the
// message, shortened in the middle where the host's strings end earlier. Codes are reused, so that
// a program that runs into errors for ever uses a bounded number of them: the text of a code lasts
// until some more errors of its class have happened. Outside of MPI_Init … MPI_Finalize: the plain
// class.
int error_code(const Error& error, const char* call);

}  // namespace tutti
