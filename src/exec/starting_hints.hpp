// The hints that every file starts with, and how ranks come to have the same.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/result.hpp"
#include "request/hints.hpp"

namespace tutti {

// Local. Defaults; changed, on the first rank only, by the hint file that TUTTI_HINTS or else
// ROMIO_HINTS names; changed by the environment. The first rank complains: one line on stderr per
// bad value. Ranks differ then and take the first rank's hints.
Hints starting_hints(bool first_rank);

// Local. A number that differs for different hints.
std::int64_t hints_key(const Hints& hints);

// Collective. Rank 0's hints on every rank.
Result<Hints> hints_of_first(MPI_Comm comm, const Hints& mine);

// Local. One line for the user.
void complain(const std::string& line);

}  // namespace tutti
