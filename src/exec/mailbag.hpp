// One exchange step: what goes to each partner and what comes from it. Towards another node bytes
// go out in segments, to one partner after the other from the rank's own number on: so many ranks
// that send at the same time do not all flood the same receiver.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "base/counters.hpp"
#include "base/scratch.hpp"
#include "exec/progress.hpp"

namespace tutti {

class Mailbag {
 public:
  // `node_of`: each rank's node; empty where nothing is known or all ranks share one.
  Mailbag(MPI_Comm comm, int tag, Counters& counters, std::span<const std::int32_t> node_of = {},
          MpiCaller& caller = program_caller());
  Mailbag(const Mailbag&) = delete;
  Mailbag& operator=(const Mailbag&) = delete;
  ~Mailbag() { wait(); }

  // Local. Starts to receive `bytes` bytes, which are in `memory` after wait().
  void receive(int peer, std::byte* memory, std::int64_t bytes);
  // Local. Takes a message over; it leaves during wait() at the latest, and `memory` stays
  // untouched until then.
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
  MpiCaller& caller_;
  bool immediate_;  // whether messages start at once
  // Where the thread must not call MPI, messages are noted and start with wait().
  struct Message {
    int peer;
    std::byte* memory;
    int bytes;
    bool sent;
  };
  struct Letter {
    int peer;
    const std::byte* memory;
    std::int64_t bytes;
    std::int64_t sent;
  };

  std::int64_t segment_bytes(int peer) const;
  void send_letters();
  void start(const Message& message);
  void start_or_note(const Message& message);
  void start_noted();
  void start_send(int peer, const std::byte* memory, int bytes);
  void start_receive(int peer, std::byte* memory, int bytes);
  void check_statuses(const std::vector<MPI_Status>& statuses);

  std::span<const std::int32_t> node_of_;
  int rank_ = 0;
  std::vector<Letter> letters_;  // to other nodes
  std::vector<Message> noted_;
  std::vector<MPI_Request> requests_;
  std::vector<int> expected_;  // bytes per request; -1 for a send
  bool sound_ = true;
};

}  // namespace tutti
