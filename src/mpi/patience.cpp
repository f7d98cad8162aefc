#include "mpi/patience.hpp"

#include <sched.h>

#include <atomic>

#include "mpi/host_completion.hpp"

namespace tutti {

namespace {

constinit std::atomic<bool (*)()> is_needed = nullptr;
constinit std::atomic<void (*)()> poll_once = nullptr;

}  // namespace

void set_patience(Patience patience) {
  poll_once = patience.poll;
  is_needed = patience.needed;
}

int wait_patiently(MPI_Request& request) {
  const HostCompletion& host = host_completion();
  bool (*const needed)() = is_needed.load();
  while (needed != nullptr && needed()) {
    int flag = 0;
    const int code = host.test(&request, &flag, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS || flag != 0) return code;
    poll_once.load()();
    sched_yield();
  }
  return host.wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace tutti
