// A helper thread that runs tasks one after another, in the order in which they came. It starts
// with the first task, sleeps while there is none, and takes no signals. Who has nothing to do but
// to wait for a task may run it instead.
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

  enum class Runner { anybody, helper_thread };

  // Local. Where the system has no thread to give, the task runs here and now.
  void add(std::function<void()> task, Runner runner);

  // Local, a thread of the program. Runs the task whose turn it is, on this thread; false if there
  // is none, if one is running, if only the helper thread may run it, or if polled operations of
  // whichever file need the program's threads.
  bool run_next();

 private:
  struct Task {
    std::function<void()> run;
    Runner runner;
  };
  bool start();
  void work();
  void run_front(std::unique_lock<std::mutex>& lock) noexcept;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool running_ = false;  // a task, by whichever thread
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tutti
