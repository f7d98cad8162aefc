// What a file does about errors. The host MPI owns error handlers; a file keeps a reference, and
// Tutti calls the user's function itself, with a handle the host knows nothing of.
#pragma once

#include <mpi.h>

#include <string_view>

#include "base/result.hpp"

namespace tutti {

// Owner of one reference to an error handler; move-only.
class ErrorHandler {
 public:
  // MPI_ERRORS_RETURN.
  ErrorHandler() = default;
  ErrorHandler(ErrorHandler&& other) noexcept;
  ErrorHandler& operator=(ErrorHandler&& other) noexcept;
  ~ErrorHandler();

  // Local. Fails with invalid_argument for null handlers and those made for communicators or
  // windows.
  static Result<ErrorHandler> reference(MPI_Errhandler handle);

  // Local. The handler on MPI_FILE_NULL: what open and delete raise errors on, and what files start
  // with. The host keeps it.
  static ErrorHandler on_file_null();
  static Status set_on_file_null(MPI_Errhandler handle);

  MPI_Errhandler get() const { return handle_; }
  MPI_Errhandler release();

  // Local. Does what the handler is for. Returns `code` unless the handler ends the job, which says
  // `message` and stops the processes of `comm`.
  int call(MPI_File file, MPI_Comm comm, int code, std::string_view message) const;

 private:
  explicit ErrorHandler(MPI_Errhandler handle) : handle_(handle) {}
  MPI_Errhandler handle_ = MPI_ERRORS_RETURN;
};

// Local. Makes a handler of the host's and remembers its function.
Result<MPI_Errhandler> create_error_handler(MPI_File_errhandler_function* function);

// Local. Remembers the function of a handler that the host has made for files.
enum class HandlerLanguage { c, cxx, fortran };
void note_error_handler(MPI_Errhandler handle, MPI_File_errhandler_function* function,
                        HandlerLanguage language);

}  // namespace tutti
