#include "api/entry.hpp"

#include <string>

#include "api/mpi_error.hpp"
#include "api/request_table.hpp"
#include "mpi/call.hpp"

namespace tutti {

int raise(const char* call, MPI_File handle, const File* file, const Error& error) noexcept {
  if (!mpi_is_running()) return error_class(error.kind);
  try {
    Error named = error;
    if (file != nullptr && !named.message.starts_with(file->name))
      named.message = file->name + ": " + named.message;
    const int code = error_code(named, call);
    const std::string text = std::string(call) + ": " + named.message;
    if (file != nullptr) return file->handler.call(handle, file->comm(), code, text);
    return ErrorHandler::on_file_null().call(MPI_FILE_NULL, MPI_COMM_WORLD, code, text);
  } catch (...) {
    return error_class(error.kind);
  }
}

Error caught() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorKind::no_memory, "no memory"};  // short enough to need no memory of its own
  } catch (...) {
    return {ErrorKind::internal, {}};
  }
}

void attend() noexcept {
  if (process_progress().polled()) process_progress().poll();
  pending_requests().complete_finished();
}

int raise_wrong_handle(const char* call) noexcept {
  try {
    return raise(call, MPI_FILE_NULL, nullptr,
                 {ErrorKind::invalid_handle, "the file handle is null, closed or wrong"});
  } catch (...) {
    return error_class(ErrorKind::invalid_handle);
  }
}

}  // namespace tutti
