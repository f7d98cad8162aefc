// What every registered device must do: opening, moving bytes, sizes, closing, deleting.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <thread>

#include "device/contract_subject.hpp"

namespace tutti {
namespace {

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
  EXPECT_NE(missing.error().message.find(name_.substr(name_.find('/'))), std::string::npos)
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

TEST_P(DeviceContract, MappedStoresAreWritesIfThereAreAny) {
  Device device = create();
  const auto store = [](std::byte* at) { at[0] = at[2] = std::byte{'x'}; };
  if (!device->facts().maps) {
    EXPECT_EQ(kind_of(device->store_mapped({0, 3}, store)), ErrorKind::unsupported_operation);
    return;
  }
  ASSERT_EQ(device.write(0, bytes_of("0123456789")), 10);
  ASSERT_TRUE(device->store_mapped({8, 4097}, store).has_value());
  EXPECT_EQ(device->size(), 8 + 4097);
  expect_bytes(device, 7, bytes_of(std::string_view("7x9x\0", 5)));
  ASSERT_TRUE(device.close().has_value());
  EXPECT_EQ(kind_of(device->store_mapped({0, 3}, store)), ErrorKind::invalid_handle);
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

INSTANTIATE_TEST_SUITE_P(Every, DeviceContract, testing::ValuesIn(all_devices()), device_test_name);

}  // namespace
}  // namespace tutti
