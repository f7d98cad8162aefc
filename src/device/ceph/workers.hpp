// Threads that do the jobs of a batch of transfers while their callers do something else.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "device/device.hpp"

namespace tutti {

class Workers {
 public:
  // What one thread moves without a break.
  using Job = std::span<Transfer>;
  using Move = std::function<Status(Job)>;

  // `move` is called from several threads at once. No thread exists before the first batch; where
  // the system has none to give, submit() moves the batch itself.
  Workers(int threads, Move move) : threads_wanted_(threads), move_(std::move(move)) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  // As DeviceBackend's submit, wait and test.
  std::uint64_t submit(std::span<const Job> jobs);
  Status wait(std::uint64_t ticket);
  Result<bool> test(std::uint64_t ticket);
  // The same in this thread.
  Status run_here(Job job) noexcept;

 private:
  struct Batch {
    std::size_t left = 0;
    std::optional<Error> failure;
  };
  struct Queued {
    std::uint64_t ticket = 0;
    Job job;
  };

  void work();
  void take_jobs(std::unique_lock<std::mutex>& guard);

  int threads_wanted_;
  Move move_;
  std::mutex mutex_;
  std::condition_variable queued_;
  std::condition_variable finished_;
  std::deque<Queued> jobs_;
  std::map<std::uint64_t, Batch> batches_;
  std::uint64_t next_ticket_ = 1;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tutti
