// Arguments of collective calls that must be equal on all processes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "base/result.hpp"

namespace tutti {

struct Argument {
  const char* what;  // "the size"; nullptr: a difference is allowed and only reported
  std::int64_t value;
};

// Collective. One reduction on success. Fails on every rank with the first failing rank's
// `failure`, or with not_same naming the first argument that differs. Returns whether the arguments
// without a name are the same everywhere. At most four arguments.
Result<bool> agree_on(MPI_Comm comm, std::initializer_list<Argument> arguments,
                      const std::optional<Error>& failure);

}  // namespace tutti
