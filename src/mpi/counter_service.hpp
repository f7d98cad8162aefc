// Counters of one process that others add to over the network. The owner answers from one helper
// thread, whatever the number of counters, that makes system calls only and sleeps while nobody
// asks: adding never waits for the owner to call MPI, and nothing polls. No MPI in here.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/result.hpp"
#include "mpi/counters2.hpp"

namespace tutti {

// Where a service listens, the secret that callers must know, and which of its counters are meant.
// Travels as bytes.
struct CounterAddress {
  static constexpr std::size_t kMostHosts = 8;
  struct Host {
    std::int32_t family = 0;
    std::array<std::uint8_t, 16> bytes{};
  };
  std::array<std::uint64_t, 2> secret{};
  std::uint64_t number = 0;
  std::array<Host, kMostHosts> hosts{};
  std::int32_t host_count = 0;
  std::int32_t port = 0;
};

class CounterService {
 public:
  // Local. The service of this process: it starts when somebody asks while nobody has it, and ends
  // when nobody has it any more. Callers that are still connected then find the connection closed.
  static Result<std::shared_ptr<CounterService>> of_process();
  CounterService(const CounterService&) = delete;
  CounterService& operator=(const CounterService&) = delete;
  ~CounterService();

  // Local. Serves `counters` until remove(). REQUIRES: they live until then.
  CounterAddress add(Counters2& counters);
  void remove(const CounterAddress& address);

 private:
  class Loop;
  CounterService();
  static Result<std::shared_ptr<CounterService>> start();
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
  // fails with io where the service, or these counters of it, cannot be reached.
  Result<std::int64_t> fetch_add(const CounterAddress& address, int which, std::int64_t amount);

 private:
  std::mutex lock_;
  int socket_ = -1;
};

}  // namespace tutti
