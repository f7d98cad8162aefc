// What every registered device must do. A device enters by its line in registry.cpp; the table
// below tells where its scratch files go, and a device missing there fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <future>
#include <map>
#include <random>
#include <thread>

#include "device/registry.hpp"
#include "device/test_scratch.hpp"

namespace tutti {
namespace {

using namespace std::chrono_literals;

std::map<std::string, std::string> scratch_names(const Scratch& scratch) {
  return {
      {"posix", scratch.file()},
      {"uring", "uring:" + scratch.file()},
      {"memory", "memory:" + scratch.file()},
      {"striped", "striped:" + scratch.file()},
      {"faulty", "faulty:short=3000,seed=7:uring:" + scratch.file()},
  };
}

class DeviceContract : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const auto names = scratch_names(scratch_);
    const auto found = names.find(GetParam());
    ASSERT_NE(found, names.end()) << "device '" << GetParam()
                                  << "' is registered but has no scratch name in this test";
    name_ = found->second;
    ASSERT_EQ(parse_device_name(name_).kind->name, GetParam());
  }
  void TearDown() override { (void)remove_file(name_); }

  static OpenOptions read_write(bool create = false) {
    return {.read = true,
            .write = true,
            .create = create,
            .striping_unit = 4096,
            .striping_factor = 3,
            .start_iodevice = 1};
  }
  Device open(OpenOptions options) {
    Result<Device> device = open_device(name_, options);
    EXPECT_TRUE(device.has_value()) << device.error().message;
    return device ? std::move(*device) : Device();
  }
  Device create() { return open(read_write(true)); }
  void expect_bytes(Device& device, std::int64_t offset, std::span<const std::byte> expected) {
    std::vector<std::byte> found(expected.size(), std::byte{0xee});
    const auto moved = device.read(offset, found);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
    ASSERT_EQ(*moved, static_cast<std::int64_t>(expected.size()));
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin()));
  }

  Scratch scratch_;
  std::string name_;
};

template <class T>
ErrorKind kind_of(const Result<T>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? ErrorKind::internal : result.error().kind;
}

TEST_P(DeviceContract, OpenModes) {
  EXPECT_EQ(kind_of(open_device(name_, read_write())), ErrorKind::no_such_file);
  EXPECT_EQ(kind_of(open_device(name_, {.read = false, .write = false, .create = true})),
            ErrorKind::invalid_amode);
  OpenOptions exclusive = read_write(true);
  exclusive.exclusive = true;
  EXPECT_TRUE(open(exclusive));
  EXPECT_EQ(kind_of(open_device(name_, exclusive)), ErrorKind::file_exists);
  EXPECT_TRUE(open(read_write(true)));
  EXPECT_TRUE(open({.read = true}));
}

TEST_P(DeviceContract, ErrorsNameTheFile) {
  const auto missing = open_device(name_, read_write());
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().message.find(scratch_.file()), std::string::npos)
      << missing.error().message;
}

TEST_P(DeviceContract, DirectionsThatWereNotOpenedFail) {
  ASSERT_TRUE(create());
  auto bytes = bytes_of("abc");
  Device reader = open({.read = true, .write = false});
  EXPECT_EQ(kind_of(reader.write(0, bytes)), ErrorKind::read_only);
  EXPECT_EQ(kind_of(reader->resize(10)), ErrorKind::read_only);
  EXPECT_EQ(kind_of(reader->preallocate(10)), ErrorKind::read_only);
  Device writer = open({.read = false, .write = true});
  EXPECT_EQ(kind_of(writer.read(0, bytes)), ErrorKind::access_denied);
  EXPECT_EQ(writer.write(0, bytes), 3);
  expect_bytes(reader, 0, bytes);
}

TEST_P(DeviceContract, EndOfFileIsAShortRead) {
  Device device = create();
  std::vector<std::byte> buffer(100);
  EXPECT_EQ(device.read(0, buffer), 0);
  ASSERT_EQ(device.write(0, bytes_of("0123456789")), 10);
  EXPECT_EQ(device.read(0, buffer), 10);
  EXPECT_EQ(device.read(7, buffer), 3);
  EXPECT_EQ(device.read(10, buffer), 0);
  EXPECT_EQ(device.read(1'000'000, buffer), 0);

  std::vector<Transfer> batch{{.offset = 0, .memory = buffer.data(), .bytes = 4},
                              {.offset = 4, .memory = buffer.data() + 4, .bytes = 10},
                              {.offset = 14, .memory = buffer.data() + 14, .bytes = 10},
                              {.offset = 8, .memory = buffer.data() + 30, .bytes = 1},
                              {.offset = 500, .memory = buffer.data() + 40, .bytes = 9, .done = 5}};
  ASSERT_TRUE(device.transfer(batch).has_value());
  EXPECT_EQ(batch[0].done, 4);
  EXPECT_EQ(batch[1].done, 6);
  EXPECT_EQ(batch[2].done, 0);
  EXPECT_EQ(batch[3].done, 1);
  EXPECT_EQ(batch[4].done, 0);
  EXPECT_EQ(std::memcmp(buffer.data(), "0123456789", 10), 0);
}

TEST_P(DeviceContract, NothingIsMovedForNothing) {
  Device device = create();
  EXPECT_TRUE(device.transfer({}).has_value());
  EXPECT_EQ(device.write(1000, {}), 0);
  EXPECT_EQ(device.read(0, {}), 0);
  EXPECT_EQ(device->size(), 0);
  Transfer nothing[2] = {{.kind = TransferKind::write, .offset = 70}, {.offset = 7}};
  EXPECT_TRUE(device.transfer(nothing).has_value());
  const auto ticket = device->submit({});
  ASSERT_TRUE(ticket.has_value());
  EXPECT_TRUE(device->wait(*ticket).has_value());
  EXPECT_EQ(device->size(), 0);
}

TEST_P(DeviceContract, ImpossibleRangesAreRefused) {
  Device device = create();
  std::byte byte{};
  const std::int64_t far = std::numeric_limits<std::int64_t>::max();
  for (const Transfer wrong : {Transfer{.offset = -1, .memory = &byte, .bytes = 1},
                               Transfer{.offset = 0, .memory = &byte, .bytes = -1},
                               Transfer{.offset = far, .memory = &byte, .bytes = 1}}) {
    for (const auto kind : {TransferKind::read, TransferKind::write}) {
      Transfer batch[2] = {{.memory = &byte, .bytes = 1, .done = 9}, wrong};
      batch[1].kind = kind;
      EXPECT_EQ(kind_of(device.transfer(batch)), ErrorKind::invalid_argument);
      EXPECT_EQ(batch[0].done, 0);
      EXPECT_EQ(kind_of(device->submit({&batch[1], 1})), ErrorKind::invalid_argument);
    }
  }
  EXPECT_EQ(kind_of(device->resize(-1)), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of(device->preallocate(-1)), ErrorKind::invalid_argument);
  EXPECT_EQ(device->size(), 0);
}

// A file kept twice: on the device and as a plain vector.
class Model {
 public:
  Model(Device device, std::uint64_t seed) : device_(std::move(device)), random_(seed) {}

  void step() {
    switch (draw(0, 11)) {
      case 0:
        resize(draw(0, kMaxBytes));
        break;
      case 1:
        preallocate(draw(0, kMaxBytes / 2));
        break;
      case 2:
        check_size();
        break;
      case 3:
      case 4:
      case 5:
        batch(true, false);
        break;
      case 6:
      case 7:
        batch(true, true);
        break;
      default:
        batch(false, true);
    }
  }

  void check_all() {
    std::vector<std::byte> found(expected_.size() + 10);
    ASSERT_EQ(device_.read(0, found), static_cast<std::int64_t>(expected_.size()));
    found.resize(expected_.size());
    ASSERT_TRUE(found == expected_);
  }

 private:
  static constexpr std::int64_t kMaxBytes = 60'000;

  std::int64_t draw(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(expected_.size()); }

  void resize(std::int64_t bytes) {
    ASSERT_TRUE(device_->resize(bytes).has_value());
    expected_.resize(static_cast<std::size_t>(bytes));
    check_size();
  }
  void preallocate(std::int64_t bytes) {
    ASSERT_TRUE(device_->preallocate(bytes).has_value());
    expected_.resize(static_cast<std::size_t>(std::max(bytes, size())));
    check_size();
  }
  void check_size() { ASSERT_EQ(device_->size(), size()); }

  // Disjoint ranges, some of them touching, in any order. Reads beside writes stay inside the file,
  // since a batch has no order in which it could grow.
  void batch(bool writes, bool reads) {
    std::vector<std::int64_t> cuts;
    const std::int64_t top = draw(1, kMaxBytes);
    for (std::int64_t count = draw(2, 60); count > 0; --count) cuts.push_back(draw(0, top));
    std::sort(cuts.begin(), cuts.end());
    std::vector<Transfer> transfers;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (draw(0, 3) == 0) continue;
      const bool write = writes && (!reads || draw(0, 1) == 0);
      const std::int64_t end = writes && !write ? std::min(cuts[i + 1], size()) : cuts[i + 1];
      if (end < cuts[i]) continue;
      transfers.push_back({.kind = write ? TransferKind::write : TransferKind::read,
                           .offset = cuts[i],
                           .bytes = end - cuts[i],
                           .done = 77});
    }
    if (draw(0, 1) == 0) std::shuffle(transfers.begin(), transfers.end(), random_);
    run(transfers);
  }

  void run(std::vector<Transfer>& transfers) {
    std::vector<std::vector<std::byte>> memory;
    for (Transfer& transfer : transfers) {
      memory.push_back(random_bytes(random_, static_cast<std::size_t>(transfer.bytes)));
      transfer.memory = memory.back().data();
    }
    const auto before = memory;
    if (draw(0, 1) == 0) {
      const Status moved = device_.transfer(transfers);
      ASSERT_TRUE(moved.has_value()) << moved.error().message;
    } else {
      const auto ticket = device_->submit(transfers);
      ASSERT_TRUE(ticket.has_value()) << ticket.error().message;
      if (draw(0, 1) == 0) {
        while (!device_->test(*ticket).value()) std::this_thread::yield();
      }
      const Status moved = device_->wait(*ticket);
      ASSERT_TRUE(moved.has_value()) << moved.error().message;
    }
    const std::int64_t size_before = size();
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const Transfer& transfer = transfers[i];
      const std::int64_t end = transfer.offset + transfer.bytes;
      if (transfer.kind == TransferKind::write) {
        ASSERT_EQ(transfer.done, transfer.bytes);
        if (transfer.bytes > 0 && size() < end) expected_.resize(static_cast<std::size_t>(end));
        std::copy(memory[i].begin(), memory[i].end(), expected_.begin() + transfer.offset);
        continue;
      }
      const std::int64_t there =
          std::clamp<std::int64_t>(size_before - transfer.offset, 0, transfer.bytes);
      ASSERT_EQ(transfer.done, there)
          << "reading " << transfer.bytes << " at " << transfer.offset << " of " << size_before;
      if (there > 0) {
        ASSERT_EQ(std::memcmp(memory[i].data(), expected_.data() + transfer.offset,
                              static_cast<std::size_t>(there)),
                  0);
      }
      ASSERT_TRUE(std::equal(memory[i].begin() + there, memory[i].end(), before[i].begin() + there))
          << "memory behind the end of the file changed";
    }
  }

  Device device_;
  std::mt19937_64 random_;
  std::vector<std::byte> expected_;
};

TEST_P(DeviceContract, RandomBatchesMatchAModel) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Model model(create(), seed);
  for (int step = 0; step < 2000 && !HasFailure(); ++step) model.step();
  model.check_all();
}

TEST_P(DeviceContract, BatchesOfManyPieces) {
  Device device = create();
  std::mt19937_64 random(5);
  constexpr std::int64_t kPieces = 5000;
  auto bytes = random_bytes(random, kPieces * 11);
  for (const std::int64_t stride : {11, 23}) {
    std::vector<Transfer> batch;
    for (std::int64_t i = 0; i < kPieces; ++i) {
      batch.push_back({.kind = TransferKind::write,
                       .offset = 5 + i * stride,
                       .memory = bytes.data() + i * 11,
                       .bytes = 11});
    }
    ASSERT_TRUE(device.transfer(batch).has_value());
    EXPECT_EQ(device->size(), 5 + (kPieces - 1) * stride + 11);
    std::vector<std::byte> found(bytes.size());
    for (std::int64_t i = 0; i < kPieces; ++i) {
      Transfer& transfer = batch[static_cast<std::size_t>(i)];
      EXPECT_EQ(transfer.done, 11);
      transfer.kind = TransferKind::read;
      transfer.memory = found.data() + i * 11;
    }
    ASSERT_TRUE(device.transfer(batch).has_value());
    EXPECT_TRUE(found == bytes);
  }
}

TEST_P(DeviceContract, HolesReadAsZeros) {
  Device device = create();
  ASSERT_EQ(device.write(50'000, bytes_of("x")), 1);
  expect_bytes(device, 0, std::vector<std::byte>(50'000));
  ASSERT_TRUE(device->resize(10).has_value());
  ASSERT_TRUE(device->resize(70'000).has_value());
  EXPECT_EQ(device->size(), 70'000);
  expect_bytes(device, 0, std::vector<std::byte>(70'000));
}

TEST_P(DeviceContract, OffsetsBeyondFourGigabytes) {
  Device device = create();
  const std::int64_t far = (std::int64_t{5} << 30) + 3;
  const auto text = bytes_of("far away");
  ASSERT_EQ(device.write(far, text), 8);
  EXPECT_EQ(device->size(), far + 8);
  expect_bytes(device, far, text);
  expect_bytes(device, far - 100, std::vector<std::byte>(100));
  ASSERT_TRUE(device->resize(far + (std::int64_t{4} << 30)).has_value());
  EXPECT_EQ(device->size(), far + (std::int64_t{4} << 30));
  expect_bytes(device, far, text);
  ASSERT_TRUE(device->resize(far + 4).has_value());
  EXPECT_EQ(device->size(), far + 4);
  std::vector<std::byte> rest(8);
  EXPECT_EQ(device.read(far, rest), 4);
}

TEST_P(DeviceContract, PreallocationKeepsDataAndNeverShrinks) {
  Device device = create();
  std::mt19937_64 random(6);
  const auto bytes = random_bytes(random, 30'000);
  ASSERT_EQ(device.write(0, bytes), 30'000);
  ASSERT_TRUE(device->preallocate(100'000).has_value());
  EXPECT_EQ(device->size(), 100'000);
  expect_bytes(device, 0, bytes);
  expect_bytes(device, 30'000, std::vector<std::byte>(70'000));
  ASSERT_TRUE(device->preallocate(10).has_value());
  ASSERT_TRUE(device->preallocate(0).has_value());
  EXPECT_EQ(device->size(), 100'000);
  expect_bytes(device, 0, bytes);
}

TEST_P(DeviceContract, TwoOpensSeeEachOther) {
  Device first = create();
  Device second = open(read_write());
  ASSERT_EQ(first.write(10'000, bytes_of("first")), 5);
  expect_bytes(second, 10'000, bytes_of("first"));
  EXPECT_EQ(second->size(), 10'005);
  ASSERT_TRUE(second->resize(3).has_value());
  EXPECT_EQ(first->size(), 3);
  ASSERT_TRUE(first->sync().has_value());
  ASSERT_TRUE(first.close().has_value());
  ASSERT_EQ(second.write(0, bytes_of("later")), 5);
  Device third = open({.read = true});
  expect_bytes(third, 0, bytes_of("later"));
}

TEST_P(DeviceContract, ClosedDevicesRefuseEverything) {
  Device device = create();
  EXPECT_TRUE(device.close().has_value());
  EXPECT_TRUE(device.close().has_value());
  std::vector<std::byte> buffer(4);
  EXPECT_EQ(kind_of(device.read(0, buffer)), ErrorKind::invalid_handle);
  EXPECT_EQ(kind_of(device.write(0, buffer)), ErrorKind::invalid_handle);
  EXPECT_EQ(kind_of(device->submit({})), ErrorKind::invalid_handle);
  EXPECT_EQ(kind_of(device->size()), ErrorKind::invalid_handle);
  EXPECT_EQ(kind_of(device->resize(1)), ErrorKind::invalid_handle);
  EXPECT_EQ(kind_of(device->preallocate(1)), ErrorKind::invalid_handle);
  EXPECT_EQ(kind_of(device->sync()), ErrorKind::invalid_handle);
  if (device->facts().has_locks) {
    EXPECT_EQ(kind_of(device->lock({0, 1}, LockMode::shared)), ErrorKind::invalid_handle);
  }
  Device empty;
  EXPECT_TRUE(empty.close().has_value());
  EXPECT_EQ(kind_of(empty.read(0, buffer)), ErrorKind::invalid_handle);
}

TEST_P(DeviceContract, RemovedFilesAreGone) {
  EXPECT_EQ(kind_of(remove_file(name_)), ErrorKind::no_such_file);
  Device old = create();
  ASSERT_EQ(old.write(0, bytes_of("old")), 3);
  ASSERT_TRUE(remove_file(name_).has_value());
  EXPECT_EQ(kind_of(open_device(name_, read_write())), ErrorKind::no_such_file);
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.directory()));
  Device fresh = create();
  EXPECT_EQ(fresh->size(), 0);
  expect_bytes(old, 0, bytes_of("old"));
}

TEST_P(DeviceContract, TicketsMayBeWaitedForInAnyOrder) {
  Device device = create();
  constexpr std::size_t kBatches = 20;
  constexpr std::size_t kPieces = 40;
  std::mt19937_64 random(8);
  auto bytes = random_bytes(random, kBatches * kPieces * 100);
  std::vector<std::vector<Transfer>> batches(kBatches);
  std::vector<std::uint64_t> tickets;
  for (std::size_t i = 0; i < bytes.size(); i += 100) {
    batches[i / 100 % kBatches].push_back({.kind = TransferKind::write,
                                           .offset = static_cast<std::int64_t>(i),
                                           .memory = bytes.data() + i,
                                           .bytes = 100});
  }
  for (auto& batch : batches) {
    const auto ticket = device->submit(batch);
    ASSERT_TRUE(ticket.has_value());
    tickets.push_back(*ticket);
  }
  std::shuffle(tickets.begin(), tickets.end(), random);
  for (const std::uint64_t ticket : tickets) ASSERT_TRUE(device->wait(ticket).has_value());
  expect_bytes(device, 0, bytes);
}

TEST_P(DeviceContract, ThreadsShareADevice) {
  Device device = create();
  constexpr int kThreads = 4;
  constexpr std::int64_t kRounds = 60;
  std::vector<std::thread> threads;
  std::vector<std::string> failures(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&device, &failure = failures[static_cast<std::size_t>(t)], t] {
      std::mt19937_64 random(static_cast<std::uint64_t>(t));
      for (std::int64_t round = 0; round < kRounds && failure.empty(); ++round) {
        // Threads interleave 50-byte pieces, so they meet in every stripe and page.
        auto bytes = random_bytes(random, 20 * 50);
        std::vector<Transfer> batch;
        for (std::int64_t i = 0; i < 20; ++i) {
          batch.push_back({.kind = TransferKind::write,
                           .offset = ((round * 20 + i) * kThreads + t) * 50,
                           .memory = bytes.data() + i * 50,
                           .bytes = 50});
        }
        if (const Status moved = device.transfer(batch); !moved) failure = moved.error().message;
        std::vector<std::byte> found(bytes.size());
        for (std::size_t i = 0; i < 20; ++i) {
          batch[i].kind = TransferKind::read;
          batch[i].memory = found.data() + i * 50;
        }
        if (const Status moved = device.transfer(batch); !moved) failure = moved.error().message;
        if (found != bytes) failure = "read back other bytes than written";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
  EXPECT_EQ(device->size(), kThreads * kRounds * 20 * 50);
}

TEST_P(DeviceContract, FactsAndLayoutAreSound) {
  Device device = create();
  EXPECT_GE(device->facts().best_bytes, 0);
  const StripeLayout layout = device->layout();
  EXPECT_GE(layout.unit_bytes, 0);
  EXPECT_GE(layout.io_nodes, 1);
  EXPECT_GE(layout.first_node, 0);
  EXPECT_LT(layout.first_node, layout.io_nodes);
}

class DeviceLocks : public DeviceContract {
 protected:
  // Whether `range` can be locked on `device` by another thread while `busy` is what this one
  // holds.
  static bool waits(Device& device, Extent range, LockMode mode, RangeLock& busy) {
    auto other = std::async(std::launch::async, [&] {
      const auto lock = RangeLock::acquire(device, range, mode);
      return lock.has_value() ? std::string() : lock.error().message;
    });
    const bool blocked = other.wait_for(100ms) == std::future_status::timeout;
    if (blocked) busy = RangeLock();
    EXPECT_EQ(other.wait_for(10s), std::future_status::ready) << "never granted";
    EXPECT_EQ(other.get(), "");
    return blocked;
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
    EXPECT_FALSE(waits(*other, {150, 50}, LockMode::exclusive, lock));
    EXPECT_FALSE(waits(*other, {0, 100}, LockMode::exclusive, lock));
    EXPECT_TRUE(waits(*other, {149, 1}, LockMode::exclusive, lock));
    lock = held(first, {100, 50}, LockMode::exclusive);
    EXPECT_TRUE(waits(*other, {0, 1000}, LockMode::shared, lock));
    lock = held(first, {100, 50}, LockMode::shared);
    EXPECT_FALSE(waits(*other, {0, 1000}, LockMode::shared, lock));
    EXPECT_TRUE(waits(*other, {0, 1000}, LockMode::exclusive, lock));
  }
}

TEST_P(DeviceLocks, SharedHoldersOfOneOpenDoNotFreeEachOther) {
  Device first = create();
  if (!first->facts().has_locks) GTEST_SKIP() << "states that it has no locks";
  Device second = open(read_write());
  RangeLock low = held(first, {0, 60}, LockMode::shared);
  {
    RangeLock high = held(first, {40, 60}, LockMode::shared);
    EXPECT_TRUE(waits(second, {90, 1}, LockMode::exclusive, high));
  }
  EXPECT_FALSE(waits(second, {60, 40}, LockMode::exclusive, low));
  EXPECT_TRUE(waits(second, {50, 1}, LockMode::exclusive, low));
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
  EXPECT_FALSE(waits(second, {0, 10}, LockMode::exclusive, lock));
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

std::vector<std::string> all_devices() {
  std::vector<std::string> names;
  for (const DeviceKind& kind : device_kinds()) names.emplace_back(kind.name);
  return names;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(Every, DeviceContract, testing::ValuesIn(all_devices()), test_name);
INSTANTIATE_TEST_SUITE_P(Every, DeviceLocks, testing::ValuesIn(all_devices()), test_name);

}  // namespace
}  // namespace tutti
