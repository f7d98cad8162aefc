#include "mpi/sleep.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace tutti {

namespace {

// Belongs to the thread by nature; null in threads of the program.
thread_local const std::atomic<std::int64_t>* program_waits = nullptr;

}  // namespace

int turns_before_sleep() {
  if (program_waits != nullptr && program_waits->load(std::memory_order_relaxed) == 0) return 0;
  return kTurnsBeforeSleep;
}

void spin_only_while(const std::atomic<std::int64_t>& waiting) { program_waits = &waiting; }

void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, bool busy) {
  constexpr long kBusyNanoseconds = 500'000;
  const timespec at_most = busy ? timespec{0, kBusyNanoseconds} : timespec{1, 0};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &at_most, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace tutti
