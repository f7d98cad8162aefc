// Where MPI_File_seek and MPI_File_seek_shared lead to.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "api/file.hpp"

namespace tutti {

// Local. The stream byte that `offset` etypes from `whence` stand for, with the pointer at stream
// byte `current`. Fails with invalid_argument before the beginning and beyond what a file can hold.
Result<std::int64_t> seek_place(const File& file, std::int64_t current, MPI_Offset offset,
                                int whence);

}  // namespace tutti
