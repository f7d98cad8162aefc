// Work of this process that goes on beside the program: who waits for it sleeps here, and MPI calls
// that helper threads must not make are made here by the program's own threads.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "exec/bell.hpp"
#include "mpi/mpi_caller.hpp"

namespace tutti {

class Progress {
 public:
  Bell bell;  // rings when an operation has finished or a step waits to be taken

  // Requests of ours that are outstanding, and operations that live by the program's MPI calls.
  bool busy() const { return outstanding_.load(std::memory_order_relaxed) != 0; }
  void add_outstanding(std::int64_t more) { outstanding_.fetch_add(more); }

  // Operations that live by the program's MPI calls: it must not block in the host for long.
  bool polled() const { return polled_.load() != 0; }
  void add_polled(std::int64_t more) {
    add_outstanding(more);
    polled_.fetch_add(more);
  }

  // Threads of the program that wait for operations now.
  std::atomic<std::int64_t> waiting = 0;

  // Any thread. Blocks until step(), which makes MPI calls that do not block, has returned true on
  // a thread of the program.
  void take(const std::function<bool()>& step);

  // A thread of the program. Takes the steps that wait, and lets the host MPI go on. Returns
  // whether a step was taken: the operation's next one may follow at once.
  bool poll();

  // Before MPI ends.
  void end();

 private:
  struct Step {
    const std::function<bool()>* take;
    std::atomic<bool> done = false;  // whoever waits for the step may be gone once it is true
  };
  bool take_steps();

  std::atomic<std::int64_t> outstanding_ = 0;
  std::atomic<std::int64_t> polled_ = 0;
  std::mutex polling_;
  MPI_Request open_request_ = MPI_REQUEST_NULL;  // guarded by it
  std::mutex mutex_;                             // guards what follows
  std::vector<Step*> steps_;
  Bell taken_;
};

Progress& process_progress();

// Local. Returns when done() holds, which the bell announces. Other ranks may need the host's
// progress of this process meanwhile: the sleep is cut into short ones.
template <class Done>
void wait_until(const Done& done) {
  constexpr std::chrono::microseconds kShortest{5};
  constexpr std::chrono::microseconds kLongest{200};
  constexpr int kTurnsAfterStep = 50;
  Progress& progress = process_progress();
  std::chrono::microseconds pause = kShortest;
  int turns = 0;  // to look again before sleeping
  ++progress.waiting;
  while (true) {
    const std::uint64_t seen = progress.bell.rings();
    if (done()) break;
    if (progress.poll()) {
      pause = kShortest;
      turns = kTurnsAfterStep;
    }
    if (turns > 0) {
      --turns;
      std::this_thread::yield();
      continue;
    }
    progress.bell.wait(seen, pause);
    if (pause < kLongest) pause *= 2;
  }
  --progress.waiting;
}

// Local. Lets the host MPI and other operations go on from a thread of the program; nothing on a
// helper thread. Returns whether it did.
bool progress_while_waiting();

// For the first lines of a helper thread: it must not call MPI on its own.
void mark_helper_thread();

// The callers of MPI: a thread of the program; the same, asleep between looks at what it waits for;
// any thread where MPI allows all of them to call; and a helper thread whose calls the
// program's threads make.
MpiCaller& program_caller();
MpiCaller& patient_caller();
MpiCaller& thread_caller();
MpiCaller& polled_caller();

}  // namespace tutti
