#include "exec/worker.hpp"

#include <chrono>
#include <utility>

#include "base/helper_thread.hpp"
#include "exec/progress.hpp"

namespace tutti {

namespace {

// What a program starts and waits for at once, its own thread should do: it is awake.
constexpr std::chrono::microseconds kHeadStart{50};

}  // namespace

Worker::~Worker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool Worker::start() {
  auto started = start_helper_thread([this] { work(); });
  if (started) thread_ = std::move(*started);
  return started.has_value();
}

void Worker::add(std::function<void()> task, Runner runner) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable() && !start()) {
    lock.unlock();
    return task();
  }
  tasks_.push_back({std::move(task), runner});
  lock.unlock();
  changed_.notify_all();
}

bool Worker::run_next() {
  if (process_progress().polled()) return false;
  std::unique_lock lock(mutex_);
  if (running_ || tasks_.empty() || tasks_.front().runner != Runner::anybody) return false;
  run_front(lock);
  if (!tasks_.empty() || ending_) changed_.notify_all();
  return true;
}

void Worker::run_front(std::unique_lock<std::mutex>& lock) noexcept {
  const Task task = std::move(tasks_.front());
  tasks_.pop_front();
  running_ = true;
  lock.unlock();
  task.run();
  lock.lock();
  running_ = false;
}

void Worker::work() {
  mark_helper_thread();
  std::unique_lock lock(mutex_);
  const auto next_is_free = [&] { return !running_ && !tasks_.empty(); };
  bool rested = true;
  while (true) {
    if (!next_is_free()) {
      changed_.wait(lock, [&] { return next_is_free() || (ending_ && !running_); });
      rested = true;
    }
    if (tasks_.empty()) return;
    if (rested && tasks_.front().runner == Runner::anybody)
      changed_.wait_for(lock, kHeadStart, [&] { return !next_is_free(); });
    rested = false;
    if (next_is_free()) run_front(lock);
  }
}

}  // namespace tutti
