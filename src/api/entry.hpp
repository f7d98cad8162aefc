// The frame of every exported function: finds the file, runs the body, raises its error on the
// right handler, and lets nothing escape.
#pragma once

#include <mpi.h>

#include <exception>
#include <new>

#include "api/export.hpp"
#include "api/file.hpp"
#include "api/handle_table.hpp"
#include "base/result.hpp"
#include "exec/progress.hpp"

namespace tutti {

// Local. Makes a code of the error and calls the handler of `file`, or of MPI_FILE_NULL where there
// is no file. The text names the file also where the error does not. Returns the code.
int raise(const char* call, MPI_File handle, const File* file, const Error& error) noexcept;

// A body's exception as an Error; called inside a catch block.
Error caught() noexcept;

// Runs body() -> Status; errors are raised on the file's handler.
template <class Body>
int guarded(const char* call, MPI_File handle, const File* file, Body&& body) noexcept {
  try {
    const Status outcome = body();
    return outcome ? MPI_SUCCESS : raise(call, handle, file, outcome.error());
  } catch (...) {
    return raise(call, handle, file, caught());
  }
}

// Runs body() -> Status; errors are raised on MPI_FILE_NULL.
template <class Body>
int without_file(const char* call, Body&& body) noexcept {
  return guarded(call, MPI_FILE_NULL, nullptr, body);
}

int raise_wrong_handle(const char* call) noexcept;

// Local. Does what operations beside the program wait for: completes requests, makes MPI calls.
void attend() noexcept;

// Runs body(File&) -> Status; errors are raised on the file's handler.
template <class Body>
int with_file(const char* call, MPI_File handle, Body&& body) noexcept {
  File* const file = open_files().find(handle);
  if (file == nullptr) [[unlikely]]
    return raise_wrong_handle(call);
  if (process_progress().busy()) [[unlikely]]
    attend();
  return guarded(call, handle, file, [&] { return body(*file); });
}

}  // namespace tutti
