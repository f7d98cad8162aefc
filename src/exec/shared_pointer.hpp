// The shared file pointer of one open file.
//
// Its truth is a pair of counters. Where all ranks are on one node they have them in the block of
// memory that they share anyway, and add to them without asking anybody: opening makes nothing for
// this. Otherwise they are in the memory of rank 0, whose process answers questions: it listens on
// one socket for all its files (mpi/counter_service.hpp), since it must be there before anybody
// asks, and whoever asks first asks alone. Nothing is left behind in any file system, also not by a
// crash.
//
// The pointer stands at base + counter. A collective call that sets it (a new view, a seek) goes
// over to the other counter, which rank 0 has zeroed before the ranks met in that call: ranks that
// are still before the meeting use the old counter, ranks behind it the new one, without a second
// meeting.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "base/result.hpp"
#include "mpi/counter_service.hpp"
#include "mpi/counters2.hpp"

namespace tutti {

class SharedPointer {
 public:
  SharedPointer() = default;
  SharedPointer(const SharedPointer&) = delete;
  SharedPointer& operator=(const SharedPointer&) = delete;
  ~SharedPointer();

  // Local, by every rank of `comm` before they meet for the first time in opening the file.
  // REQUIRES: no other open file has the communicator.
  void find_place(MPI_Comm comm);
  // Collective over the same `comm`, behind that meeting; without messages where its ranks share a
  // block. What does not work here is told by advance().
  Status connect(MPI_Comm comm);

  // Local. Moves on by `bytes` stream bytes and returns where the pointer was.
  Result<std::int64_t> advance(std::int64_t bytes);
  Result<std::int64_t> position() { return advance(0); }

  // Setting the pointer, in a collective call: every rank calls prepare() before the ranks meet and
  // set() afterwards, with the same value, unless the call fails on all of them.
  void prepare();
  void set(std::int64_t position);

 private:
  int rank_ = 0;
  std::int64_t base_ = 0;
  std::size_t current_ = 0;                  // which counter
  Counters2* counters_ = nullptr;            // null: by the network
  std::unique_ptr<Counters2> own_;           // rank 0's, where no block has them
  std::shared_ptr<CounterService> service_;  // of rank 0, where others need it
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
