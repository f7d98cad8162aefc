// Memory of a node through which owners and ranks hand each other packed bytes: every owner has a
// slab, in two halves, so that one step fills while another drains. Each rank says how far it is
// and sleeps only until the one it needs has come so far.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/sleep.hpp"

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

  // Steps that a rank has come to, ever: as owner (its slab is complete), and as everybody's
  // partner (it is through with all slabs). Steps are counted over all calls; totals agree on all
  // ranks.
  enum Progress { kFilled, kDone };
  // Local. Says that this rank has come to the end of step `count` - 1, and wakes who waits for it.
  void advance(int rank, Progress what, std::uint32_t count);
  // Local. Returns when `rank` has come so far; what it wrote before, this rank sees after.
  void wait_for(int rank, Progress what, std::uint32_t count);

  void set_while_waiting(WhileWaiting act) { while_waiting_ = act; }

  std::uint32_t steps_so_far = 0;  // in the calls before

  // One place per rank, written by the owner.
  std::int64_t* places(int owner, std::int64_t step) const {
    return reinterpret_cast<std::int64_t*>(half(owner, step));
  }
  // Room for step_bytes() of every rank.
  std::byte* data(int owner, std::int64_t step) const { return half(owner, step) + places_bytes_; }

 private:
  struct Word {
    std::atomic<std::uint32_t> count;
    std::atomic<std::uint32_t> sleepers;
  };
  Word& word(int rank, Progress what) const {
    return reinterpret_cast<Word*>(memory_.data() + rank * kLine)[what];
  }

  static constexpr std::int64_t kLine = 64;  // of the cache; one for each rank's words

  std::byte* half(int owner, std::int64_t step) const {
    return memory_.data() + words_bytes_ + (2 * owner + step % 2) * half_bytes_;
  }

  SharedMemory memory_;
  WhileWaiting while_waiting_ = nullptr;
  std::int64_t step_bytes_ = 0;
  std::int64_t words_bytes_ = 0;
  std::int64_t places_bytes_ = 0;
  std::int64_t half_bytes_ = 0;
};

}  // namespace tutti
