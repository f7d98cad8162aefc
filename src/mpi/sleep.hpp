// Sleeping on a word of memory that processes share (a futex).
#pragma once

#include <atomic>
#include <cstdint>

namespace tutti {

// Local. Sleeps while word == value. Wakes now and then by itself, so that nothing hangs on a lost
// wake-up: the caller looks again.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value);

// Local. Wakes everybody who sleeps on the word.
void wake_all(std::atomic<std::uint32_t>& word);

}  // namespace tutti
