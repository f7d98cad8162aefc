// Sleeping on a word of memory that processes share (a futex).
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti {

// Local. Sleeps while word == value. Wakes now and then by itself, so that nothing hangs on a lost
// wake-up: the caller looks again. `soon`: wakes early, for a caller with something else to do.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, bool soon = false);

// Local. Wakes everybody who sleeps on the word.
void wake_all(std::atomic<std::uint32_t>& word);

}  // namespace tutti
