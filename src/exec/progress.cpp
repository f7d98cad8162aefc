#include "exec/progress.hpp"

#include <mpi.h>

#include <algorithm>
#include <thread>

#include "mpi/call.hpp"
#include "mpi/host_completion.hpp"
#include "mpi/patience.hpp"
#include "mpi/sleep.hpp"

namespace tutti {

namespace {

// Belongs to the thread by nature.
thread_local bool is_helper_thread = false;

// A request that stays open until MPI ends.
MPI_Request start_open_request() {
  MPI_Request request = MPI_REQUEST_NULL;
  const int code = PMPI_Grequest_start(
      [](void*, MPI_Status* status) {
        PMPI_Status_set_elements(status, MPI_BYTE, 0);
        return PMPI_Status_set_cancelled(status, 0);
      },
      [](void*) { return MPI_SUCCESS; }, [](void*, int) { return MPI_SUCCESS; }, nullptr, &request);
  return code == MPI_SUCCESS ? request : MPI_REQUEST_NULL;
}

bool all_done(std::span<MPI_Request> requests, MPI_Status* statuses, int& code) {
  int flag = 0;
  code = host_completion().test_all(static_cast<int>(requests.size()), requests.data(), &flag,
                                    statuses);
  return flag != 0 || code != MPI_SUCCESS;
}

class ProgramCaller final : public MpiCaller {
 public:
  bool may_block() const override { return true; }
  void make(const std::function<void()>& calls) override { calls(); }
  int complete(std::span<MPI_Request> requests, MPI_Status* statuses) override {
    return host_completion().wait_all(static_cast<int>(requests.size()), requests.data(), statuses);
  }
};

// Sleeps rather than spins: others need the processors, the program's own threads or ranks of other
// nodes that share them. Hosts give up their turn while they wait, which does not help where the
// scheduler lets a thread that yields go on until its time slice ends.
class SleepingCaller final : public MpiCaller {
 public:
  bool may_block() const override { return false; }
  void make(const std::function<void()>& calls) override { calls(); }
  int complete(std::span<MPI_Request> requests, MPI_Status* statuses) override {
    constexpr std::chrono::microseconds kLongest{100};
    constexpr int kYields = 50;
    std::chrono::microseconds pause{5};
    int code = MPI_SUCCESS;
    for (int tries = 0; !all_done(requests, statuses, code); ++tries) {
      // Others may wait for operations that live by this thread's calls before they come here.
      if (process_progress().polled()) progress_while_waiting();
      if (tries < kYields) {
        std::this_thread::yield();
        continue;
      }
      std::this_thread::sleep_for(pause);
      if (pause < kLongest) pause *= 2;
    }
    return code;
  }
};

class PolledCaller final : public MpiCaller {
 public:
  bool may_block() const override { return false; }
  void make(const std::function<void()>& calls) override {
    process_progress().take([&] {
      calls();
      return true;
    });
  }
  int complete(std::span<MPI_Request> requests, MPI_Status* statuses) override {
    int code = MPI_SUCCESS;
    process_progress().take([&] { return all_done(requests, statuses, code); });
    return code;
  }
};

}  // namespace

void Progress::take(const std::function<bool()>& step) {
  if (!is_helper_thread) {  // there was no thread to give: nobody else would take the step
    while (!step()) poll();
    return;
  }
  Step mine{&step};
  {
    const std::lock_guard lock(mutex_);
    steps_.push_back(&mine);
  }
  bell.ring();
  for (int turns = turns_before_sleep(); turns > 0 && !mine.done.load(); --turns)
    std::this_thread::yield();
  while (true) {
    const std::uint64_t seen = taken_.rings();
    if (mine.done.load()) return;
    taken_.wait(seen, std::chrono::seconds(1));
  }
}

bool Progress::take_steps() {
  std::vector<Step*> now;
  {
    const std::lock_guard lock(mutex_);
    now = steps_;
  }
  std::vector<Step*> done;
  for (Step* step : now)
    if ((*step->take)()) done.push_back(step);
  if (done.empty()) return false;
  {
    const std::lock_guard lock(mutex_);
    for (Step* step : done) {
      std::erase(steps_, step);
      step->done = true;
    }
  }
  taken_.ring();
  return true;
}

bool Progress::poll() {
  if (!mpi_is_running()) return false;
  const std::unique_lock lock(polling_, std::try_to_lock);
  if (!lock) return false;
  if (take_steps()) return true;
  // MPICH's MPI_Iprobe does not drive messages from other ranks; testing an open request does in
  // both hosts.
  if (open_request_ == MPI_REQUEST_NULL) open_request_ = start_open_request();
  int flag = 0;
  if (open_request_ != MPI_REQUEST_NULL)
    host_completion().test(&open_request_, &flag, MPI_STATUS_IGNORE);
  return false;
}

void Progress::end() {
  const std::lock_guard lock(polling_);
  if (open_request_ == MPI_REQUEST_NULL) return;
  PMPI_Grequest_complete(open_request_);
  host_completion().wait(&open_request_, MPI_STATUS_IGNORE);
}

bool progress_while_waiting() {
  if (is_helper_thread) return false;
  process_progress().poll();
  return true;
}

void mark_helper_thread() {
  is_helper_thread = true;
  spin_only_while(process_progress().waiting);
}

Progress& process_progress() {
  // Helper threads may outlive exit handlers.
  static Progress& progress = []() -> Progress& {
    set_patience(
        {[] { return process_progress().polled(); }, [] { (void)process_progress().poll(); }});
    return *new Progress;
  }();
  return progress;
}

MpiCaller& program_caller() {
  static ProgramCaller caller;
  return caller;
}

MpiCaller& patient_caller() { return thread_caller(); }

MpiCaller& thread_caller() {
  static SleepingCaller caller;
  return caller;
}

MpiCaller& polled_caller() {
  static PolledCaller caller;
  return caller;
}

}  // namespace tutti
