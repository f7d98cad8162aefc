#include "exec/worker.hpp"

#include <utility>

#include "base/helper_thread.hpp"
#include "exec/progress.hpp"

namespace tutti {

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

void Worker::add(std::function<void()> task) {
  std::unique_lock lock(mutex_);
  if (!thread_.joinable() && !start()) {
    lock.unlock();
    return task();
  }
  tasks_.push_back(std::move(task));
  lock.unlock();
  changed_.notify_all();
}

void Worker::work() {
  mark_helper_thread();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace tutti
