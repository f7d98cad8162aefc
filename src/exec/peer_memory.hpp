// Direct access to the memory of other ranks on the same node (process_vm_readv and its twin).
#pragma once

#include <mpi.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace tutti {

class PeerMemory {
 public:
  PeerMemory() = default;

  // Collective. Tries, with every rank, whether the memory of its neighbour on the same node can be
  // read and written. available() is the same on all ranks: true only where it worked for all.
  static Result<PeerMemory> probe(MPI_Comm comm, std::span<const std::int32_t> node_of);

  bool available() const { return available_; }
  // Whether `peer` is on this rank's node, and its memory within reach.
  bool reaches(int peer) const { return available_ && near_[static_cast<std::size_t>(peer)]; }

  // Local. Copies between the bytes from `address` on in `peer` and the local pieces, in order.
  Status pull(int peer, std::uint64_t address, std::span<iovec> local) const;
  Status push(int peer, std::uint64_t address, std::span<iovec> local) const;

 private:
  bool available_ = false;
  std::vector<pid_t> pids_;
  std::vector<bool> near_;
};

}  // namespace tutti
