// Memory of a node through which ranks hand each other bytes of a file. Every owner has a ring of
// slots, one for each step of its domain that is under way. Any rank may fill a slot that it has
// claimed; a slot is free again when all ranks are through with its step.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/quickest_way.hpp"
#include "base/result.hpp"
#include "mpi/shared_memory.hpp"
#include "mpi/sleep.hpp"

namespace tutti {

// Where a rank's bytes lie in a slot, from its data on; negative where they do not.
enum Place : std::int64_t {
  kNowhere = -1,   // nothing for this rank, or whoever filled the slot failed
  kInWindow = -2,  // the slot holds the file's bytes as they are: the rank picks its own
};

// Ways to fill a slot, as bits: stores past the caches, by way of the rank's own memory; the page
// cache mapped, where the device allows it, instead of read.
enum SlotFilling : int { kPastCaches = 1, kMapped = 2 };

// Steps are counted over all calls, so that words need no reset; totals agree on all ranks. Counts
// wrap around: later_than() compares them.
using StepCount = std::uint32_t;
inline bool later_than(StepCount a, StepCount b) { return static_cast<std::int32_t>(a - b) > 0; }

class Arena {
 public:
  Arena() = default;

  // Collective over `comm`, whose ranks are all on one node. available() is the same on all ranks.
  static Result<Arena> create(MPI_Comm comm, int ranks);

  bool available() const { return memory_.available(); }

  // File bytes of one step of one owner.
  std::int64_t step_bytes() const { return step_bytes_; }
  // Steps of one owner that can be under way: so many that all slots together stay in cache.
  StepCount slots() const { return slots_; }

  // Local. The first step of `owner` that nobody has claimed, not before `first`.
  StepCount unclaimed(int owner, StepCount first) const;
  // Local. Whether this rank is the one to fill `step`, which must be unclaimed().
  bool claim(int owner, StepCount step);

  // Local. A rank that owns nothing in this call has no steps before `count` to be claimed: what
  // was claimed of it long ago must not look like the future when counts wrap around.
  void skip_claims(int owner, StepCount count) { line(owner).next_claim.store(count); }

  // Local. The slot is complete; what this rank wrote before is seen by those who see it filled.
  void set_filled(int owner, StepCount step) { filled(owner, step).set(step + 1); }
  bool is_filled(int owner, StepCount step) const {
    return filled(owner, step).value.load() == step + 1;
  }
  void wait_filled(int owner, StepCount step);

  // Local. The rank is through with all slots of the steps before `count`.
  void set_done(int rank, StepCount count) { line(rank).done.set(count); }
  StepCount done(int rank) const { return line(rank).done.value.load(); }
  // Local. Returns when `rank` is through with the steps before `count`.
  void wait_done(int rank, StepCount count);

  void set_while_waiting(WhileWaiting act) { while_waiting_ = act; }

  StepCount steps_so_far = 0;  // in the calls before

  // How this rank fills slots (SlotFilling): what is quickest depends on how far the cores that
  // took the slot's last bytes are, and on what the system charges for mapping a page.
  struct Ways {
    QuickestWay window;
    QuickestWay dealt;
  };
  std::array<Ways, 2> ways;  // see SeenPages::of_kind()

  // One place per rank, written by whoever fills the slot.
  std::int64_t* places(int owner, StepCount step) const {
    return reinterpret_cast<std::int64_t*>(slot(owner, step) + kLine);
  }
  // Room for step_bytes() of every rank.
  std::byte* data(int owner, StepCount step) const { return slot(owner, step) + header_bytes_; }

 private:
  static constexpr std::int64_t kLine = 64;  // of the cache

  struct RankLine {
    WaitedWord done;
    std::atomic<StepCount> next_claim;  // as owner; stale between calls
  };

  RankLine& line(int rank) const {
    return *reinterpret_cast<RankLine*>(memory_.data() + rank * kLine);
  }
  WaitedWord& filled(int owner, StepCount step) const {
    return *reinterpret_cast<WaitedWord*>(slot(owner, step));
  }
  std::byte* slot(int owner, StepCount step) const {
    return memory_.data() + lines_bytes_ +
           (std::int64_t{slots_} * owner + step % slots_) * slot_bytes_;
  }

  SharedMemory memory_;
  WhileWaiting while_waiting_ = nullptr;
  StepCount slots_ = 0;  // a power of two: counts wrap around
  std::int64_t step_bytes_ = 0;
  std::int64_t lines_bytes_ = 0;
  std::int64_t header_bytes_ = 0;
  std::int64_t slot_bytes_ = 0;
};

}  // namespace tutti
