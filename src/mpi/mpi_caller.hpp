// Where the MPI calls of a collective access are made: its own code may run on a thread that must
// not call MPI.
#pragma once

#include <mpi.h>

#include <functional>
#include <span>

namespace tutti {

class MpiCaller {
 public:
  virtual ~MpiCaller() = default;

  // Whether this thread may block inside an MPI call. Otherwise it starts nonblocking calls within
  // make() and waits for them with complete(). The same on all ranks of a collective call: blocking
  // and nonblocking MPI collectives do not match each other.
  virtual bool may_block() const = 0;

  // Blocks until `calls`, which makes MPI calls that do not block, has run.
  virtual void make(const std::function<void()>& calls) = 0;

  // Blocks until all requests are complete, as MPI_Waitall; `statuses` may be MPI_STATUSES_IGNORE.
  virtual int complete(std::span<MPI_Request> requests, MPI_Status* statuses) = 0;
};

}  // namespace tutti
