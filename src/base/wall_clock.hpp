// Seconds for measuring how long things take, on any thread.
#pragma once

#include <chrono>
#include <ctime>

namespace tutti {

inline double wall_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

// What this thread has computed, waiting and others' turns left out.
inline double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace tutti
