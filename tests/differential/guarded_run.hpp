// Runs code that may crash or never end in a child process.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

namespace tutti::test {

struct GuardedResult {
  enum class End { finished, crashed, hung };
  End end = End::finished;
  std::string said;     // by `body`, also where it did not end well
  std::string problem;  // "signal 11"; empty where it finished
  pid_t child = 0;
};

// A child that aborts MPICH must not reach the launcher, which would end the whole job.
inline void leave_launcher() {
  if (const char* descriptor = std::getenv("PMI_FD")) ::close(std::atoi(descriptor));
}

// `body(say)` sees the caller's memory and changes none of it; what it hands to say(std::string)
// reaches the caller. It has a second of processor time and eight on the clock.
template <class Body>
GuardedResult run_guarded(Body&& body) {
  int ends[2] = {};
  if (::pipe(ends) != 0) return {GuardedResult::End::crashed, "", "no pipe"};
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGALRM, SIGXCPU})
      std::signal(signal, SIG_DFL);
    const rlimit processor{1, 2};
    ::setrlimit(RLIMIT_CPU, &processor);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::alarm(8);
    leave_launcher();
    const int quiet = ::open("/dev/null", O_WRONLY);
    ::dup2(quiet, 1);
    ::dup2(quiet, 2);
    body([&](const std::string& text) {
      if (::write(ends[1], text.data(), text.size()) < 0) ::_exit(1);
    });
    ::_exit(0);
  }
  ::close(ends[1]);
  GuardedResult result;
  result.child = child;
  char part[512];
  for (ssize_t got = 0; (got = ::read(ends[0], part, sizeof part)) > 0;)
    result.said.append(part, static_cast<std::size_t>(got));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    const bool late = signal == SIGXCPU || signal == SIGALRM || signal == SIGKILL;
    result.end = late ? GuardedResult::End::hung : GuardedResult::End::crashed;
    result.problem = "signal " + std::to_string(signal);
  } else if (WEXITSTATUS(status) != 0) {
    result.end = GuardedResult::End::crashed;
    result.problem = "exit code " + std::to_string(WEXITSTATUS(status));
  }
  return result;
}

}  // namespace tutti::test
