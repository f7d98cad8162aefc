// Memory of a node through which owners and ranks hand each other packed bytes: every owner has a
// slab, in two halves, so that one step fills while another drains and a single barrier separates
// steps.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "mpi/shared_memory.hpp"

namespace tutti {

// Where a rank's bytes lie in a slab, from its data on; negative where they do not.
enum Place : std::int64_t {
  kNowhere = -1,   // nothing for this rank, or the owner failed
  kInWindow = -2,  // the slab holds the file's bytes as they are: the rank picks its own
};

class Arena {
 public:
  Arena() = default;

  // Collective over `comm`, whose ranks are all on one node. available() is the same on all ranks.
  static Result<Arena> create(MPI_Comm comm, int ranks);

  bool available() const { return memory_.available(); }

  // File bytes of one step of one owner: small enough for all slabs together to stay in cache.
  std::int64_t step_bytes() const { return step_bytes_; }

  // One place per rank, written by the owner.
  std::int64_t* places(int owner, std::int64_t step) const {
    return reinterpret_cast<std::int64_t*>(half(owner, step));
  }
  // Room for step_bytes() of every rank.
  std::byte* data(int owner, std::int64_t step) const { return half(owner, step) + places_bytes_; }

 private:
  std::byte* half(int owner, std::int64_t step) const {
    return memory_.data() + (2 * owner + step % 2) * half_bytes_;
  }

  SharedMemory memory_;
  std::int64_t step_bytes_ = 0;
  std::int64_t places_bytes_ = 0;
  std::int64_t half_bytes_ = 0;
};

}  // namespace tutti
