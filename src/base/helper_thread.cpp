#include "base/helper_thread.hpp"

#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <system_error>
#include <utility>

namespace tutti {

namespace {

// Inherited by the threads that are started meanwhile.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
      sigdelset(&blocked, fault);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

// Best effort: where the system refuses, the thread stays where the program is.
void leave_the_programs_core() {
  cpu_set_t mine;
  cpu_set_t launchers;
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return;
  if (sched_getaffinity(getppid(), sizeof launchers, &launchers) != 0) return;
  CPU_OR(&launchers, &launchers, &mine);
  (void)sched_setaffinity(0, sizeof launchers, &launchers);
}

}  // namespace

std::optional<std::thread> start_helper_thread(std::function<void()> body) {
  const SignalsBlocked inherited;
  try {
    return std::thread([body = std::move(body)] {
      leave_the_programs_core();
      body();
    });
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

}  // namespace tutti
