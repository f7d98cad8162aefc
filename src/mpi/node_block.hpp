// A small block of memory shared by the ranks of one node, with a barrier that sleeps instead of
// spinning. No MPI call is made after its creation, so a helper thread may use it too.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/result.hpp"
#include "mpi/counters2.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/sleep.hpp"

namespace tutti {

class NodeBlock {
 public:
  NodeBlock() = default;

  // Collective over `comm`, whose ranks are all on one node. Every rank gets `slot_bytes` bytes of
  // its own in the block. available() is the same on all ranks; it is false where the system
  // refuses.
  static Result<NodeBlock> create(MPI_Comm comm, std::int64_t slot_bytes);

  bool available() const { return memory_.available(); }

  void set_while_waiting(WhileWaiting act) { while_waiting_ = act; }

  // Counters for whoever owns the block; zero at first. REQUIRES: available().
  Counters2& counters() { return reinterpret_cast<Header*>(memory_.data())->counters; }

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  // Collective. Returns when every rank has arrived; what any rank wrote before, all see after.
  void barrier();

  // Collective: one barrier. Afterwards `all` holds every rank's `mine`, in rank order.
  // REQUIRES: the same size on all ranks, at most slot_bytes.
  void gather(std::span<const std::byte> mine, std::byte* all);

 private:
  struct Header {
    std::atomic<std::uint32_t> arrived;
    WaitedWord generation;
    alignas(64) Counters2 counters;  // away from the words that ranks wait for
  };

  std::byte* slot(int rank) const;

  SharedMemory memory_;  // a Header, then two sets of slots
  WhileWaiting while_waiting_ = nullptr;
  std::int64_t slot_bytes_ = 0;
  int rank_ = 0;
  int ranks_ = 1;
  bool odd_ = false;  // which of two sets of slots the next gather uses
};

}  // namespace tutti
