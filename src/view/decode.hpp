// From an MPI datatype to its pattern, constructor by constructor.
#pragma once

#include <mpi.h>

#include "base/result.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

// Local. Decodes anew, without asking the cache for `type` itself (inner types do, which helps
// where the host hands out the types themselves and not, as Open MPI, duplicates); regular
// constructors cost the same whatever their counts, lists cost their length once. Fails like
// pattern_of, which callers outside this folder should use.
Result<TypePattern> decode(MPI_Datatype type);

}  // namespace tutti
