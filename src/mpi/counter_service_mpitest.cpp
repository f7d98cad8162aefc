// ranks: 1
#include "mpi/counter_service.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <set>
#include <thread>
#include <vector>

#include "support/footprint.hpp"
#include "support/mpi_main.hpp"

namespace tutti::test {

// Connections and answers as signals leave them: every other call is interrupted, and no more than
// a few bytes come at a time.
inline std::atomic<bool> interrupted = false;
inline std::atomic<int> turn = 0;

template <class Call>
auto interrupt_every_other(const Call& call) {
  if (interrupted && turn.fetch_add(1) % 2 == 0) {
    errno = EINTR;
    return decltype(call())(-1);
  }
  return call();
}

}  // namespace tutti::test

#pragma GCC visibility push(default)
extern "C" {

int connect(int socket, const sockaddr* address, socklen_t bytes) {
  return tutti::test::interrupt_every_other(
      [&] { return static_cast<int>(syscall(SYS_connect, socket, address, bytes)); });
}

ssize_t recv(int socket, void* data, std::size_t bytes, int flags) {
  const std::size_t most = tutti::test::interrupted ? std::min<std::size_t>(bytes, 5) : bytes;
  return tutti::test::interrupt_every_other(
      [&] { return syscall(SYS_recvfrom, socket, data, most, flags, nullptr, nullptr); });
}

ssize_t send(int socket, const void* data, std::size_t bytes, int flags) {
  const std::size_t most = tutti::test::interrupted ? std::min<std::size_t>(bytes, 7) : bytes;
  return tutti::test::interrupt_every_other(
      [&] { return syscall(SYS_sendto, socket, data, most, flags, nullptr, 0); });
}

}  // extern "C"
#pragma GCC visibility pop

namespace tutti {
namespace {

// The process's service with a pair of counters in it.
struct Served {
  Counters2 counters{};
  Result<std::shared_ptr<CounterService>> service = CounterService::of_process();
  CounterAddress address = service ? (*service)->add(counters) : CounterAddress();
  Served() { EXPECT_TRUE(service); }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;
  ~Served() {
    if (service && *service) (*service)->remove(address);
  }
};

TEST(CounterService, CallersGetEveryNumberOnce) {
  Served served;
  constexpr int kCallers = 6;
  constexpr int kTimes = 300;
  std::vector<std::vector<std::int64_t>> got(kCallers);
  std::vector<std::thread> threads;
  threads.reserve(kCallers);
  for (auto& mine : got)
    threads.emplace_back([&mine, &served] {
      CounterCaller caller;
      for (int i = 0; i < kTimes; ++i) {
        const auto before = caller.fetch_add(served.address, 1, 3);
        if (before) mine.push_back(*before);
      }
    });
  for (std::thread& each : threads) each.join();
  std::set<std::int64_t> all;
  for (const auto& mine : got) all.insert(mine.begin(), mine.end());
  ASSERT_EQ(all.size(), static_cast<std::size_t>(kCallers * kTimes));
  EXPECT_EQ(*all.begin(), 0);
  EXPECT_EQ(*all.rbegin(), 3 * (kCallers * kTimes - 1));
  EXPECT_EQ(served.counters[0], 0) << "the other counter is untouched";
}

TEST(CounterService, OneCallerServesSeveralThreads) {
  Served served;
  CounterCaller caller;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 100; ++i) (void)caller.fetch_add(served.address, 0, 1);
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(served.counters[0], 400);
}

TEST(CounterService, SignalsInterruptNothing) {
  Served served;
  test::interrupted = true;
  for (int caller_number = 0; caller_number < 5; ++caller_number) {
    CounterCaller caller;
    for (int i = 0; i < 5; ++i) {
      const auto before = caller.fetch_add(served.address, 0, 2);
      EXPECT_TRUE(before && *before == 2 * (5 * caller_number + i));
    }
  }
  test::interrupted = false;
}

TEST(CounterService, StrangersChangeNothing) {
  Served served;
  CounterAddress guessed = served.address;
  guessed.secret[1] ^= 1;
  CounterCaller stranger;
  const auto before = stranger.fetch_add(guessed, 0, 5);
  ASSERT_FALSE(before);
  EXPECT_EQ(before.error().kind, ErrorKind::io);
  EXPECT_EQ(served.counters[0], 0);
  CounterCaller friendly;
  EXPECT_TRUE(friendly.fetch_add(served.address, 0, 5)) << "others are still served";
}

TEST(CounterService, AServiceThatEndedIsAnError) {
  Served served;
  const CounterAddress address = served.address;
  CounterCaller connected;
  ASSERT_TRUE(connected.fetch_add(address, 0, 1));
  served.service->reset();
  EXPECT_FALSE(connected.fetch_add(address, 0, 1));
  CounterCaller late;
  EXPECT_FALSE(late.fetch_add(address, 0, 1));
  CounterCaller nowhere;
  EXPECT_FALSE(nowhere.fetch_add({}, 0, 1));
}

TEST(CounterService, FilesShareOneThreadAndOneSocket) {
  const int before = test::steady_thread_count();
  const int descriptors = test::descriptor_count();
  {
    const Served first;
    EXPECT_EQ(test::thread_count(), before + 1);
    const int of_one = test::descriptor_count();
    const Served second;
    const Served third;
    EXPECT_EQ(test::thread_count(), before + 1);
    EXPECT_EQ(test::descriptor_count(), of_one);
    CounterCaller callers[2];
    EXPECT_TRUE(callers[0].fetch_add(first.address, 0, 1));
    EXPECT_TRUE(callers[1].fetch_add(third.address, 0, 7));
    EXPECT_EQ(first.counters[0], 1);
    EXPECT_EQ(second.counters[0], 0);
    EXPECT_EQ(third.counters[0], 7);
  }
  EXPECT_EQ(test::thread_count_at_last(before), before);
  EXPECT_EQ(test::descriptor_count(), descriptors);
}

TEST(CounterService, CountersThatAreGoneAreAnError) {
  const Served stays;
  CounterAddress gone;
  CounterCaller connected;
  {
    const Served goes;
    gone = goes.address;
    ASSERT_TRUE(connected.fetch_add(gone, 0, 1));
  }
  EXPECT_FALSE(connected.fetch_add(gone, 0, 1));
  CounterCaller late;
  EXPECT_FALSE(late.fetch_add(gone, 0, 1));
  CounterCaller other;
  EXPECT_TRUE(other.fetch_add(stays.address, 0, 1)) << "others are still served";
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
