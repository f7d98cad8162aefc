// What each predefined datatype consists of. Private to src/view.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "convert/external32.hpp"

namespace tutti {

// One typemap entry of a predefined type: `parts` values of `part_bytes` bytes (two for complex).
struct TypeMember {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Meaning meaning = Meaning::bytes;
  std::int64_t parts = 1;
  std::int64_t part_bytes = 1;
};

// Local. One member, two for pair types, none for MPI_LB and MPI_UB. Fails with invalid_type for
// types that are not known. REQUIRES: combiner_of(type) == Combiner::named.
Result<std::vector<TypeMember>> members_of(MPI_Datatype type);

}  // namespace tutti
