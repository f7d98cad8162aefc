// File views from MPI's arguments.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/result.hpp"
#include "request/file_view.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

// Local. The view of MPI_File_set_view. Fails with
//   invalid_argument: displacement negative or beyond 2^61;
//   invalid_type: a null type; an etype without bytes; a filetype that is not a whole number of
//   etypes; displacements in either typemap that are negative or decrease; a negative extent.
// A filetype without bytes gives an empty stream. Filetypes that overlap themselves and tiles
// smaller than their span are accepted: view.stream.is_monotone() tells.
Result<FileView> view_of(std::int64_t displacement, MPI_Datatype etype, MPI_Datatype filetype);

// The same for types that lie in the file otherwise than in memory.
Result<FileView> view_of(std::int64_t displacement, const TypePattern& etype,
                         const TypePattern& filetype);

}  // namespace tutti
