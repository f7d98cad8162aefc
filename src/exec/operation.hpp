// One access that goes on while the program does something else, or is done by the program's thread
// once that waits for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "base/result.hpp"
#include "exec/progress.hpp"
#include "exec/worker.hpp"

namespace tutti {

class Operation {
 public:
  // `on_finish` is called once, by the thread that finishes the operation, and makes no MPI call.
  explicit Operation(std::function<void()> on_finish = {}) : on_finish_(std::move(on_finish)) {}

  bool finished() const { return finished_.load(std::memory_order_acquire); }

  // The bytes moved. REQUIRES: finished().
  const Result<std::int64_t>& outcome() const { return outcome_; }

  // Before it is given to `worker`, which runs it.
  void set_worker(const std::shared_ptr<Worker>& worker) { worker_ = worker; }

  // A thread of the program that does nothing else until the operation has finished. Runs it here,
  // and what comes before it, unless the helper thread has begun or must do it.
  void help() const {
    while (!finished()) {
      const std::shared_ptr<Worker> worker = worker_.lock();
      if (!worker || !worker->run_next()) return;
    }
  }

  // Any thread, once.
  void finish(Result<std::int64_t> outcome) {
    outcome_ = std::move(outcome);
    finished_.store(true, std::memory_order_release);
    if (const auto told = std::exchange(on_finish_, nullptr)) told();
    process_progress().bell.ring();
  }

 private:
  std::function<void()> on_finish_;
  std::weak_ptr<Worker> worker_;  // gone with its file
  Result<std::int64_t> outcome_ = 0;
  std::atomic<bool> finished_ = false;
};

}  // namespace tutti
