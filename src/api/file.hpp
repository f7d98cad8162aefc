// An open file as a program sees it: the engine's file plus view, pointers and error handler.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "api/datarep.hpp"
#include "api/error_handler.hpp"
#include "api/user_type.hpp"
#include "exec/open_file.hpp"
#include "exec/operation.hpp"
#include "request/access.hpp"
#include "request/file_view.hpp"

namespace tutti {

// A split collective whose _end is still to come.
struct SplitCall {
  const char* end_name = nullptr;  // nullptr: none is active
  std::shared_ptr<Operation> operation;
  std::int64_t claimed = 0;  // bytes by which the individual pointer has moved on
  // In views that convert: bytes of the file that moved, known when the operation has finished.
  std::shared_ptr<std::int64_t> file_bytes;
};

struct File {
  std::string name;
  std::unique_ptr<OpenFile> engine;  // empty while the file is being closed
  int amode = 0;
  FileView view;
  UserType etype;
  UserType filetype;
  std::string datarep = "native";
  const Datarep* representation = nullptr;  // what the view's data are converted to; null: nothing
  std::atomic<std::int64_t> position = 0;   // individual pointer, in stream bytes; whole etypes
  std::atomic<std::int64_t> independent_accesses = 0;
  ErrorHandler handler;
  SplitCall split;

  MPI_Comm comm() const { return engine ? engine->comm.get() : MPI_COMM_WORLD; }
};

// Local. Whether data may move in this direction: fails with access_denied (reading a write-only
// file) or read_only (writing a read-only file).
Status check_direction(const File& file, Direction direction);

// Local. Fails with unsupported_operation for files of MPI_MODE_SEQUENTIAL, which have data access
// by the shared pointer only.
Status check_not_sequential(const File& file);

}  // namespace tutti
