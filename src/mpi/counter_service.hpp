// Counters of one process that others add to over the network. The owner answers from a helper
// thread that makes system calls only and sleeps while nobody asks, so adding never waits for the
// owner to call MPI, and nothing polls. No MPI in here.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/result.hpp"

namespace tutti {

using Counters2 = std::array<std::atomic<std::int64_t>, 2>;

// Where a service listens and the secret that callers must know. Travels as bytes.
struct CounterAddress {
  static constexpr std::size_t kMostHosts = 8;
  struct Host {
    std::int32_t family = 0;
    std::array<std::uint8_t, 16> bytes{};
  };
  std::array<std::uint64_t, 2> secret{};
  std::array<Host, kMostHosts> hosts{};
  std::int32_t host_count = 0;
  std::int32_t port = 0;
};

class CounterService {
 public:
  // Local. REQUIRES: `counters` outlives the service.
  static Result<std::unique_ptr<CounterService>> start(Counters2& counters);
  CounterService(const CounterService&) = delete;
  CounterService& operator=(const CounterService&) = delete;
  // Ends the thread; callers that are still connected find the connection closed.
  ~CounterService();

  const CounterAddress& address() const { return address_; }

 private:
  class Loop;
  CounterService();
  std::unique_ptr<Loop> loop_;
  CounterAddress address_;
};

// One process's connection to a service; several threads may use it.
class CounterCaller {
 public:
  CounterCaller() = default;
  CounterCaller(const CounterCaller&) = delete;
  CounterCaller& operator=(const CounterCaller&) = delete;
  ~CounterCaller();

  // Local. Adds `amount` to counter `which` and returns what it was before. Connects at first use;
  // fails with io where the service cannot be reached.
  Result<std::int64_t> fetch_add(const CounterAddress& address, int which, std::int64_t amount);

 private:
  std::mutex lock_;
  int socket_ = -1;
};

}  // namespace tutti
