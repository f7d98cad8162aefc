// What every registered device must do: locks that exclude, if it states that it has any.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <limits>
#include <thread>

#include "device/contract_subject.hpp"

namespace tutti {
namespace {

using namespace std::chrono_literals;

class DeviceLocks : public DeviceContract {
 protected:
  static std::future<std::string> ask(Device& device, Extent range, LockMode mode) {
    return std::async(std::launch::async, [&device, range, mode] {
      const auto lock = RangeLock::acquire(device, range, mode);
      return lock.has_value() ? std::string("granted") : lock.error().message;
    });
  }
  // Another thread gets `range` now.
  static void expect_granted(Device& device, Extent range, LockMode mode) {
    auto other = ask(device, range, mode);
    if (other.wait_for(20s) != std::future_status::ready) {
      ADD_FAILURE() << "never granted: " << range.bytes << " bytes at " << range.offset;
      std::abort();  // the thread would wait for ever
    }
    EXPECT_EQ(other.get(), "granted");
  }
  // Another thread gets `range` once `busy` is released, and not before.
  static void expect_granted_after(RangeLock& busy, Device& device, Extent range, LockMode mode) {
    auto other = ask(device, range, mode);
    EXPECT_EQ(other.wait_for(100ms), std::future_status::timeout) << "granted while it was held";
    busy = RangeLock();
    if (other.wait_for(20s) != std::future_status::ready) std::abort();
    EXPECT_EQ(other.get(), "granted");
  }
  static RangeLock held(Device& device, Extent range, LockMode mode) {
    auto lock = RangeLock::acquire(device, range, mode);
    EXPECT_TRUE(lock.has_value()) << lock.error().message;
    return lock ? std::move(*lock) : RangeLock();
  }
};

TEST_P(DeviceLocks, ExcludeOtherOpensAndOtherThreads) {
  Device first = create();
  if (!first->facts().has_locks) GTEST_SKIP() << "states that it has no locks";
  Device second = open(read_write());
  for (Device* other : {&second, &first}) {
    SCOPED_TRACE(other == &first ? "same open" : "other open");
    RangeLock lock = held(first, {100, 50}, LockMode::exclusive);
    expect_granted(*other, {150, 50}, LockMode::exclusive);
    expect_granted(*other, {0, 100}, LockMode::exclusive);
    expect_granted_after(lock, *other, {149, 1}, LockMode::exclusive);
    lock = held(first, {100, 50}, LockMode::exclusive);
    expect_granted_after(lock, *other, {0, 1000}, LockMode::shared);
    lock = held(first, {100, 50}, LockMode::shared);
    expect_granted(*other, {0, 1000}, LockMode::shared);
    expect_granted_after(lock, *other, {0, 1000}, LockMode::exclusive);
  }
}

TEST_P(DeviceLocks, SharedHoldersOfOneOpenDoNotFreeEachOther) {
  Device first = create();
  if (!first->facts().has_locks) GTEST_SKIP() << "states that it has no locks";
  Device second = open(read_write());
  RangeLock low = held(first, {0, 60}, LockMode::shared);
  {
    RangeLock high = held(first, {40, 60}, LockMode::shared);
    expect_granted_after(high, second, {90, 1}, LockMode::exclusive);
  }
  expect_granted(second, {60, 40}, LockMode::exclusive);
  expect_granted_after(low, second, {50, 1}, LockMode::exclusive);
}

TEST_P(DeviceLocks, AThreadDoesNotWaitForItself) {
  Device device = create();
  if (!device->facts().has_locks) GTEST_SKIP() << "states that it has no locks";
  RangeLock lock = held(device, {0, 10}, LockMode::exclusive);
  EXPECT_EQ(kind_of(device->lock({5, 10}, LockMode::shared)), ErrorKind::file_in_use);
  RangeLock moved = std::move(lock);
  EXPECT_EQ(kind_of(device->lock({0, 1}, LockMode::exclusive)), ErrorKind::file_in_use);
  moved = RangeLock();
  EXPECT_TRUE(device->lock({5, 10}, LockMode::shared).has_value());
  EXPECT_TRUE(device->unlock({5, 10}).has_value());
  EXPECT_TRUE(device->lock({0, 0}, LockMode::exclusive).has_value());
  EXPECT_EQ(kind_of(device->lock({-1, 5}, LockMode::exclusive)), ErrorKind::invalid_argument);
  const Extent everything{0, std::numeric_limits<std::int64_t>::max()};
  EXPECT_TRUE(device->lock(everything, LockMode::exclusive).has_value());
  EXPECT_TRUE(device->unlock(everything).has_value());
}

TEST_P(DeviceLocks, ClosingFreesThem) {
  Device first = create();
  if (!first->facts().has_locks) GTEST_SKIP() << "states that it has no locks";
  Device second = open(read_write());
  RangeLock lock = held(first, {0, 10}, LockMode::exclusive);
  ASSERT_TRUE(first.close().has_value());
  expect_granted(second, {0, 10}, LockMode::exclusive);
}

TEST_P(DeviceLocks, ProtectReadModifyWrite) {
  Device first = create();
  if (!first->facts().has_locks) GTEST_SKIP() << "states that it has no locks";
  Device second = open(read_write());
  constexpr int kTurns = 200;
  const auto count_up = [&](Device& device) {
    for (int i = 0; i < kTurns; ++i) {
      auto lock = RangeLock::acquire(device, {16, 8}, LockMode::exclusive);
      std::int64_t value = 0;
      (void)device.read(16, std::as_writable_bytes(std::span(&value, 1)));
      ++value;
      (void)device.write(16, std::as_bytes(std::span(&value, 1)));
    }
  };
  std::vector<std::thread> threads;
  for (Device* device : {&first, &second, &first, &second}) {
    threads.emplace_back([&count_up, device] { count_up(*device); });
  }
  for (std::thread& thread : threads) thread.join();
  std::int64_t value = 0;
  ASSERT_EQ(first.read(16, std::as_writable_bytes(std::span(&value, 1))), 8);
  EXPECT_EQ(value, 4 * kTurns);
}

INSTANTIATE_TEST_SUITE_P(Every, DeviceLocks, testing::ValuesIn(all_devices()), device_test_name);

}  // namespace
}  // namespace tutti
