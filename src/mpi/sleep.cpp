#include "mpi/sleep.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace tutti {

void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value, bool soon) {
  constexpr long kSoonNanoseconds = 500'000;
  const timespec at_most = soon ? timespec{0, kSoonNanoseconds} : timespec{1, 0};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &at_most, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace tutti
