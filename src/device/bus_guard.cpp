#include "device/bus_guard.hpp"

#include <csetjmp>
#include <csignal>

namespace tutti {

namespace {

// Signal handlers belong to the process, so this is process-wide by nature: the range that a thread
// is touching now, and the handler that was installed before ours.
struct Guarded {
  std::byte* begin;
  std::byte* end;
  sigjmp_buf back;
};
thread_local Guarded* guarded_now = nullptr;
struct sigaction handler_before;  // NOLINT: written once, before our handler can run

void on_bus_error(int signal, siginfo_t* info, void* context) {
  auto* address = static_cast<std::byte*>(info->si_addr);
  if (guarded_now != nullptr && address >= guarded_now->begin && address < guarded_now->end)
    siglongjmp(guarded_now->back, 1);
  if ((handler_before.sa_flags & SA_SIGINFO) != 0 && handler_before.sa_sigaction != nullptr) {
    handler_before.sa_sigaction(signal, info, context);
  } else if (handler_before.sa_handler != SIG_DFL && handler_before.sa_handler != SIG_IGN) {
    handler_before.sa_handler(signal);
  } else {
    sigaction(SIGBUS, &handler_before, nullptr);  // the fault comes again and ends the process
  }
}

bool install_handler() {
  struct sigaction ours {};
  ours.sa_sigaction = on_bus_error;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  return sigaction(SIGBUS, &ours, &handler_before) == 0;
}

}  // namespace

bool run_guarded(std::span<std::byte> range, const std::function<void()>& touch) {
  static const bool installed = install_handler();
  (void)installed;
  Guarded guarded{range.data(), range.data() + range.size(), {}};
  Guarded* const outer = guarded_now;
  // SA_NODEFER leaves the signal mask alone, so the jump has nothing to restore.
  const bool whole = sigsetjmp(guarded.back, 0) == 0;
  if (whole) {
    guarded_now = &guarded;
    touch();
  }
  guarded_now = outer;
  return whole;
}

}  // namespace tutti
