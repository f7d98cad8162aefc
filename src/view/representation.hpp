// Datatypes in files of another data representation than memory has.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>

#include "base/result.hpp"
#include "convert/element_map.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

// The bytes that one predefined type takes in the file, for representations of the program's own.
// Without a function: external32.
struct Representation {
  std::function<Result<std::int64_t>(MPI_Datatype)> file_bytes;
};

// Local. The elements of `type` in typemap order. A pair such as MPI_DOUBLE_INT is two of them.
// Fails with invalid_type like pattern_of, and for predefined types without a form in the file.
Result<ElementMap> element_map_of(const Representation& representation, MPI_Datatype type);

// Local. The bytes of `type` in the file. Elements have the sizes of the representation and no
// padding; displacements that a constructor counts in elements scale with them, displacements in
// bytes stay (MPI-4.0 14.5.1: portable datatypes scale). So does the extent of a type made with
// displacements in bytes, unless its data reach beyond it.
Result<TypePattern> file_pattern_of(const Representation& representation, MPI_Datatype type);

}  // namespace tutti
