// One access that goes on while the program does something else.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/result.hpp"
#include "exec/progress.hpp"

namespace tutti {

class Operation {
 public:
  // `on_finish` is called once, by the thread that finishes the operation, and makes no MPI call.
  explicit Operation(std::function<void()> on_finish = {}) : on_finish_(std::move(on_finish)) {}

  bool finished() const { return finished_.load(std::memory_order_acquire); }

  // The bytes moved. REQUIRES: finished().
  const Result<std::int64_t>& outcome() const { return outcome_; }

  // Any thread, once.
  void finish(Result<std::int64_t> outcome) {
    outcome_ = std::move(outcome);
    finished_.store(true, std::memory_order_release);
    if (const auto told = std::exchange(on_finish_, nullptr)) told();
    process_progress().bell.ring();
  }

 private:
  std::function<void()> on_finish_;
  Result<std::int64_t> outcome_ = 0;
  std::atomic<bool> finished_ = false;
};

}  // namespace tutti
