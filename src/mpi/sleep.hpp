// Waiting for a word of memory that processes share (a futex).
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace tutti {

// What a thread does now and then while it waits for other ranks, which may need this process's MPI
// meanwhile. Returns whether it wants to be called again soon.
using WhileWaiting = bool (*)();

// Turns given up before sleeping: waits inside a call are short, and waking a core that sleeps
// takes longer than most of them; but a rank that never sleeps takes turns from those it waits for.
constexpr int kTurnsBeforeSleep = 200;

// Turns that this thread gives up before it sleeps. A helper thread gives up none while the program
// computes: it would get the processor back when the program's time slice ends, and not when what
// it waits for has come.
int turns_before_sleep();

// For the first lines of a helper thread: the program's threads that wait for it now are counted in
// `waiting`.
void spin_only_while(const std::atomic<std::int64_t>& waiting);

// Local. Sleeps while word == value. Wakes now and then by itself: soon where the caller has other
// things to do meanwhile (`busy`), else so that nothing hangs on a lost wake-up. The caller looks
// again.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, bool busy);

// Local. Wakes everybody who sleeps on the word.
void wake_all(std::atomic<std::uint32_t>& word);

// A word that others wait for. Lives in memory that processes share and is zero at first.
struct WaitedWord {
  std::atomic<std::uint32_t> value;
  std::atomic<std::uint32_t> sleepers;

  // Local. What this process wrote before is seen by those who see `next`.
  void set(std::uint32_t next) {
    value.store(next);
    if (sleepers.load() > 0) wake_all(value);
  }

  // Local. Returns when arrived(value); `act` may be null.
  template <class Arrived>
  void wait_until(const Arrived& arrived, WhileWaiting act) {
    const int turns = turns_before_sleep();
    for (int i = 0; i < turns; ++i) {
      if (arrived(value.load())) return;
      std::this_thread::yield();
    }
    ++sleepers;
    for (std::uint32_t now = value.load(); !arrived(now); now = value.load())
      sleep_on(value, now, act != nullptr && act());
    --sleepers;
  }
};

}  // namespace tutti
