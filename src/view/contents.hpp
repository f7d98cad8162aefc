// How a datatype was constructed, in one form for both host MPIs. Private to src/view.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "mpi/owned.hpp"

namespace tutti {

// The constructors that differ in meaning; Fortran's deprecated *_INTEGER forms are joined to them.
enum class Combiner {
  named,  // also the parameterised Fortran types: nothing inside
  duplicate,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  structure,
  subarray,
  darray,
  resized,
  unknown,
};

// Local.
Combiner combiner_of(MPI_Datatype type);

// A datatype inside another: released with this object unless it is predefined.
class InnerType {
 public:
  explicit InnerType(MPI_Datatype type);
  MPI_Datatype get() const { return type_; }

 private:
  MPI_Datatype type_;
  OwnedType owner_;
};

// `arguments` are the constructor's integers and displacements in the order of its C arguments,
// whether it was the int or the large-count form.
struct Contents {
  Combiner combiner = Combiner::unknown;
  std::vector<std::int64_t> arguments;
  std::vector<InnerType> types;
};

// Local. REQUIRES: combiner_of(type) is neither named nor unknown.
Result<Contents> contents_of(MPI_Datatype type);

}  // namespace tutti
