#include "base/helper_thread.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tutti {
namespace {

TEST(HelperThread, TakesNoSignalsButItsOwnFaults) {
  sigset_t mask;
  sigemptyset(&mask);
  auto thread = start_helper_thread([&] { pthread_sigmask(SIG_SETMASK, nullptr, &mask); });
  ASSERT_TRUE(thread.has_value());
  thread->join();
  for (const int blocked : {SIGALRM, SIGTERM, SIGINT, SIGUSR1, SIGCHLD, SIGXFSZ})
    EXPECT_EQ(sigismember(&mask, blocked), 1) << blocked;
  for (const int open : {SIGBUS, SIGSEGV}) EXPECT_EQ(sigismember(&mask, open), 0) << open;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGALRM), 0) << "the caller's mask is what it was";
}

// A process that its launcher (this test) has bound to one processor.
TEST(HelperThread, IsNotBoundToTheProgramsProcessor) {
  cpu_set_t launchers;
  ASSERT_EQ(sched_getaffinity(0, sizeof launchers, &launchers), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &launchers) && CPU_COUNT(&one) == 0) CPU_SET(cpu, &one);
    bool good = sched_setaffinity(0, sizeof one, &one) == 0;
    cpu_set_t helpers;
    auto thread = start_helper_thread([&] { sched_getaffinity(0, sizeof helpers, &helpers); });
    good = good && thread.has_value();
    if (thread) thread->join();
    cpu_set_t mine;
    sched_getaffinity(0, sizeof mine, &mine);
    good = good && CPU_EQUAL(&helpers, &launchers) && CPU_EQUAL(&mine, &one);
    _exit(good ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace tutti
