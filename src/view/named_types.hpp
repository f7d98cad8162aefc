// Patterns of predefined datatypes, made once per process and never changed. For
// src/view and the shortest way of src/api.
#pragma once

#include <mpi.h>

#include "base/result.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

// Local. The pattern of an often used predefined type, or nullptr: a few comparisons.
const TypePattern* find_common_type(MPI_Datatype type);

// Local. REQUIRES: combiner_of(type) == Combiner::named. The pattern lives as long as the process.
// Pair types such as MPI_SHORT_INT have holes; the padding inside a long double is data.
Result<const TypePattern*> named_pattern(MPI_Datatype type);

}  // namespace tutti
