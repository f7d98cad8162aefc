// A helper thread that runs tasks one after another, in the order in which they came. It starts
// with the first task, sleeps while there is none, and takes no signals.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tutti {

class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  // Runs what is queued, then ends the thread.
  ~Worker();

  // Local. Where the system has no thread to give, the task runs here and now.
  void add(std::function<void()> task);

 private:
  bool start();
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tutti
