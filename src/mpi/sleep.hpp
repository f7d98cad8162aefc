// Sleeping on a word of memory that processes share (a futex).
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti {

// Local. Sleeps while word == value. Wakes now and then by itself: soon where the caller has other
// things to do meanwhile (`busy`), else so that nothing hangs on a lost wake-up. The caller looks
// again.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, bool busy);

// What a thread does now and then while it waits for other ranks, which may need this process's MPI
// meanwhile. Returns whether it wants to be called again soon.
using WhileWaiting = bool (*)();

// Local. Wakes everybody who sleeps on the word.
void wake_all(std::atomic<std::uint32_t>& word);

}  // namespace tutti
