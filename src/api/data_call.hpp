// The one body behind every call that moves data.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "api/file.hpp"
#include "base/result.hpp"
#include "request/access.hpp"

namespace tutti {

struct DataCall {
  const char* name;
  Direction direction;
  bool collective;
  const char* end_name = nullptr;  // of a split collective's first half
};

// In place of an explicit offset: the individual pointer, the shared pointer. A collective call by
// the shared pointer is an ordered one.
inline constexpr MPI_Offset kIndividual = -0x7fff'ffff'ffff'ffff;
inline constexpr MPI_Offset kShared = -0x7fff'ffff'ffff'fffe;

struct DataArguments {
  MPI_Offset offset;  // in etypes, or kIndividual, or kShared
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
};

// Checks, moves, advances the pointer, fills `status`.
// Collective where call.collective says so.
int move_data(const DataCall& call, MPI_File handle, const DataArguments& arguments,
              MPI_Status* status) noexcept;

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
