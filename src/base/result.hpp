// Errors are values. Every fallible function in Tutti returns a Result; nothing throws.
#pragma once

#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace tutti {

// What went wrong, independent of any MPI. api/mpi_error.cpp maps each kind to an MPI error class,
// device/errno_error.cpp maps errno to a kind; no other file knows either side.
enum class ErrorKind {
  invalid_argument,
  invalid_handle,
  invalid_count,
  invalid_type,
  invalid_buffer,
  invalid_comm,
  invalid_amode,
  invalid_info,
  access_denied,
  bad_file_name,
  file_exists,
  file_in_use,
  no_such_file,
  no_space,
  quota_exceeded,
  read_only,
  not_same,
  unsupported_datarep,
  unsupported_operation,
  duplicate_datarep,
  conversion,
  no_memory,
  io,
  internal,
};

struct Error {
  ErrorKind kind = ErrorKind::io;
  std::string message;  // one sentence that names the file or argument

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return tl::make_unexpected(Error{kind, std::move(message)});
}

}  // namespace tutti
