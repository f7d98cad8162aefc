// One exchange step: what goes to each partner and what comes from it, as one message each way.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "base/counters.hpp"
#include "base/scratch.hpp"

namespace tutti {

class Mailbag {
 public:
  Mailbag(MPI_Comm comm, int tag, Counters& counters)
      : comm_(comm), tag_(tag), counters_(counters) {}
  Mailbag(const Mailbag&) = delete;
  Mailbag& operator=(const Mailbag&) = delete;
  ~Mailbag() { wait(); }

  // Local. Starts to receive `bytes` bytes, which are in `memory` after wait().
  void receive(int peer, std::byte* memory, std::int64_t bytes);
  // Local. Starts to send; `memory` stays untouched until wait().
  void send(int peer, const std::byte* memory, std::int64_t bytes);
  // Local. Lets a partner that waits for `bytes` bytes go on without them: its wait() says so.
  void send_nothing(int peer, std::int64_t bytes);
  // Local. Takes the partner's `bytes` bytes without keeping them: wait() says so.
  void receive_nothing(int peer, std::int64_t bytes);
  // Blocks until everything started has arrived and left; false unless all of it came whole.
  // Harmless when nothing was started.
  bool wait();

 private:
  MPI_Comm comm_;
  int tag_;
  Counters& counters_;
  void start_send(int peer, const std::byte* memory, int bytes);
  void start_receive(int peer, std::byte* memory, int bytes);

  std::vector<MPI_Request> requests_;
  std::vector<int> expected_;  // bytes per request; -1 for a send
  bool sound_ = true;
};

}  // namespace tutti
