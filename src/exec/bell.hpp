// Lets threads of this process sleep until something that one of them waits for has happened.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tutti {

class Bell {
 public:
  // Local. How often it has rung; taken before looking at what is waited for.
  std::uint64_t rings() const {
    const std::lock_guard lock(mutex_);
    return rings_;
  }

  void ring() {
    {
      const std::lock_guard lock(mutex_);
      ++rings_;
    }
    rang_.notify_all();
  }

  // Local. Returns when it has rung more than `seen` times, or after `at_most`.
  void wait(std::uint64_t seen, std::chrono::microseconds at_most) const {
    std::unique_lock lock(mutex_);
    rang_.wait_for(lock, at_most, [&] { return rings_ != seen; });
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable rang_;
  std::uint64_t rings_ = 0;
};

}  // namespace tutti
