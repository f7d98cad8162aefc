// The one body behind every blocking call that moves data.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "api/data_request.hpp"
#include "api/file.hpp"
#include "base/result.hpp"
#include "exec/converted.hpp"

namespace tutti {

// Checks, moves, advances the pointer, fills `status`.
// Collective where call.collective says so.
int move_data(const DataCall& call, MPI_File handle, const DataArguments& arguments,
              MPI_Status* status) noexcept;

// The same without handle, status and error handler.
Result<ConvertedBytes> move_at_once(File& file, const DataCall& call, const DataArguments& given);

// Local. Moves what was checked and placed before.
Result<ConvertedBytes> move_independently(File& file, Direction direction,
                                          const DataRequest& request);

// Local. `status` may be MPI_STATUS_IGNORE.
void fill_status(MPI_Status* status, std::int64_t bytes);

}  // namespace tutti
