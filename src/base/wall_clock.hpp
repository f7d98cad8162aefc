// Seconds for measuring how long things take, on any thread.
#pragma once

#include <chrono>

namespace tutti {

inline double wall_seconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

}  // namespace tutti
