// The shared file pointer of one open file.
//
// Its truth is a pair of counters in the memory of rank 0: a file that rank 0 made in memory when
// the file was opened, which the other ranks of its node map at their first use, alone, and add to
// without asking anybody. Where not all ranks can do so, rank 0 also answers questions on a socket
// (mpi/counter_service.hpp). Opening costs no message for this on one node, and one broadcast
// otherwise; nothing is left behind in any file system, also not by a crash.
//
// The pointer stands at base + counter. A collective call that sets it (a new view, a seek) goes
// over to the other counter, which rank 0 has zeroed before the ranks met in that call: ranks that
// are still before the meeting use the old counter, ranks behind it the new one, without a second
// meeting.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/result.hpp"
#include "mpi/counter_service.hpp"

namespace tutti {

class SharedPointer {
 public:
  // What ranks tell each other while the file is being opened: the largest value of each word over
  // all ranks says who is where.
  using Words = std::array<std::uint64_t, 5>;

  SharedPointer() = default;
  SharedPointer(const SharedPointer&) = delete;
  SharedPointer& operator=(const SharedPointer&) = delete;
  ~SharedPointer();

  // Local. `maps_memory` false: as if every rank were on a node of its own.
  Words introduce(int rank, int ranks, bool maps_memory);
  // Collective over `comm`; without messages where all ranks share a node. What does not work here
  // is told by advance().
  Status meet(MPI_Comm comm, const Words& largest);

  // Local. Moves on by `bytes` stream bytes and returns where the pointer was.
  Result<std::int64_t> advance(std::int64_t bytes);
  Result<std::int64_t> position() { return advance(0); }

  // Setting the pointer, in a collective call: every rank calls prepare() before the ranks meet and
  // set() afterwards, with the same value, unless the call fails on all of them.
  void prepare();
  void set(std::int64_t position);

 private:
  Counters2* mapped();

  int rank_ = 0;
  bool maps_memory_ = false;
  std::int64_t base_ = 0;
  std::size_t current_ = 0;  // which counter
  std::uint64_t keeper_pid_ = 0;
  int keeper_descriptor_ = -1;
  int descriptor_ = -1;  // rank 0's
  std::mutex mapping_;
  std::atomic<Counters2*> counters_ = nullptr;
  std::unique_ptr<Counters2> own_;  // rank 0's, where no memory could be shared
  std::unique_ptr<CounterService> service_;
  CounterAddress address_;
  CounterCaller caller_;
};

struct OpenFile;

// Collective. Moves the shared pointer on by what all ranks want, `bytes` each, and returns where
// this rank's bytes begin when ranks go in order. Without a value where some rank had none to give
// (it refuses the call): the pointer stays.
Result<std::optional<std::int64_t>> advance_in_order(OpenFile& file,
                                                     std::optional<std::int64_t> bytes);

}  // namespace tutti
