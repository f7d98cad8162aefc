// Waiting for ranks that are still elsewhere: what lives by this process's MPI calls goes on
// meanwhile.
#pragma once

#include <mpi.h>

namespace tutti {

// What goes on beside the program: whether it needs calls of this process now, and one such call.
struct Patience {
  bool (*needed)();
  void (*poll)();
};

// Local, once per process. Nothing is polled before.
void set_patience(Patience patience);

// A thread of the program. MPI_Wait for a request of ours.
int wait_patiently(MPI_Request& request);

// Collective. Starts a nonblocking MPI collective by start(request) and waits for it. The first
// meeting of a collective call on a file is one of these: a rank may be waiting for something else
// before it comes. Behind it every rank is in the call, and blocking MPI calls do no harm.
template <class Start>
int meet_patiently(const Start& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = start(&request);
  return code == MPI_SUCCESS ? wait_patiently(request) : code;
}

}  // namespace tutti
