// A datatype a program passed in and may free before we are done with it.
#pragma once

#include <mpi.h>

#include "base/result.hpp"
#include "mpi/owned.hpp"

namespace tutti {

class UserType {
 public:
  // MPI_BYTE.
  UserType() = default;

  // Local. Keeps a duplicate of derived types; predefined types are kept as they are.
  static Result<UserType> keep(MPI_Datatype type);

  // Local. A handle for the program: predefined, or one that it has to free.
  Result<MPI_Datatype> hand_out() const;

 private:
  MPI_Datatype type_ = MPI_BYTE;
  OwnedType own_;  // empty for predefined types
};

// Local. Whether `type` may be used in a data access: fails with invalid_type for null and
// uncommitted types. `comm` must return its errors.
Status check_committed(MPI_Datatype type, MPI_Comm comm);

}  // namespace tutti
