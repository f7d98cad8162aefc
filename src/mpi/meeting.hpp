// How the ranks of a private communicator meet outside of data transfers: through a block of the
// node's memory that hangs on the communicator where there is one, by MPI calls elsewhere.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "mpi/counters2.hpp"
#include "mpi/node_block.hpp"

namespace tutti {

// Longer words travel by MPI calls.
constexpr std::int64_t kMeetingBytes = 128;

// Local, on every rank of `comm`. The communicator keeps the block until it is freed. REQUIRES: a
// block that these ranks made, in this order, with slots of kMeetingBytes.
Status attach_block(MPI_Comm comm, NodeBlock block);

// Local. Counters in the block of `comm`, which all its ranks add to; null where it has none.
Counters2* counters_of(MPI_Comm comm);

// Collective. Each value becomes the least or the largest that any rank passed.
Status least_of_all(MPI_Comm comm, std::span<std::int64_t> values);
Status largest_of_all(MPI_Comm comm, std::span<std::uint64_t> values);

// Collective. `bytes` of every rank, in rank order; the same number on all.
Status gather_from_all(MPI_Comm comm, std::span<const std::byte> mine, std::byte* all);

// Collective. Rank 0's bytes, on every rank.
Status tell_from_first(MPI_Comm comm, std::span<std::byte> bytes);

}  // namespace tutti
