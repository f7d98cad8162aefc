// The hints of a file that the C++ interface opens.
#pragma once

#include <mpi.h>

#include <span>

#include "base/result.hpp"
#include "request/hints.hpp"
#include "tutti/file.hpp"

namespace tutti::io {

// Local. Defaults, changed by the environment, changed by `given`. Fails with invalid_info at an
// unknown key or a bad value. `complain`: one line on stderr per bad value in the environment.
Result<Hints> hints_from(std::span<const Hint> given, bool complain);

// Collective. Rank 0's hints on every rank.
Result<Hints> share_hints(MPI_Comm comm, const Hints& mine);

}  // namespace tutti::io
