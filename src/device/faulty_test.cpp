#include "device/faulty.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>

#include "device/test_scratch.hpp"

namespace tutti {
namespace {

constexpr OpenOptions kCreate{.read = true, .write = true, .create = true};

class Faulty : public testing::Test {
 protected:
  Device open(const std::string& spec) {
    Result<Device> device = open_device("faulty:" + spec + ":" + scratch_.file(), kCreate);
    EXPECT_TRUE(device.has_value()) << device.error().message;
    return device ? std::move(*device) : Device();
  }
  // The bytes that really reached the file.
  std::vector<std::byte> content() {
    auto plain = open_device(scratch_.file(), {});
    std::vector<std::byte> bytes(static_cast<std::size_t>((*plain)->size().value()));
    EXPECT_EQ(plain->read(0, bytes), static_cast<std::int64_t>(bytes.size()));
    return bytes;
  }
  Scratch scratch_;
  std::mt19937_64 random_{3};
};

TEST_F(Faulty, StorageThatFillsUp) {
  Device device = open("fail-write-after=4096,errno=ENOSPC");
  auto bytes = random_bytes(random_, 3000);
  EXPECT_EQ(device.write(0, bytes), 3000);
  Transfer more[2] = {
      {.kind = TransferKind::write, .offset = 3000, .memory = bytes.data(), .bytes = 1000},
      {.kind = TransferKind::write, .offset = 4000, .memory = bytes.data(), .bytes = 1000}};
  const Status moved = device.transfer(more);
  ASSERT_FALSE(moved.has_value());
  EXPECT_EQ(moved.error().kind, ErrorKind::no_space);
  EXPECT_EQ(moved.error().message,
            scratch_.file() + ": no space left on device (writing 904 bytes at offset 4096)");
  EXPECT_EQ(more[0].done, 1000);
  EXPECT_EQ(more[1].done, 96);
  EXPECT_EQ(content().size(), 4096u);
  EXPECT_FALSE(device.write(0, bytes_of("x")).has_value()) << "a full device stays full";
  std::vector<std::byte> found(10);
  EXPECT_EQ(device.read(0, found), 10) << "reading still works";
}

TEST_F(Faulty, TornWritesLandUpToTheTear) {
  Device device = open("torn-write-at=1000");
  const auto bytes = random_bytes(random_, 500);
  EXPECT_EQ(device.write(0, bytes), 500);
  EXPECT_EQ(device.write(500, bytes), 500);
  const auto torn = device.write(800, bytes);
  ASSERT_FALSE(torn.has_value());
  EXPECT_EQ(torn.error().kind, ErrorKind::io);
  const auto found = content();
  ASSERT_EQ(found.size(), 1000u);
  EXPECT_TRUE(std::equal(found.begin() + 800, found.end(), bytes.begin()));
  EXPECT_EQ(device.write(1001, bytes), 500) << "behind the tear all is well";
}

TEST_F(Faulty, FailuresAtAnOffsetMoveNothing) {
  Device device = open("fail-write-at=100,fail-read-at=200,errno=EDQUOT");
  auto bytes = random_bytes(random_, 100);
  EXPECT_EQ(device.write(0, bytes), 100);
  EXPECT_EQ(device.write(101, bytes), 100);
  const auto failed = device.write(50, bytes);
  ASSERT_FALSE(failed.has_value());
  EXPECT_EQ(failed.error().kind, ErrorKind::quota_exceeded);
  EXPECT_EQ(content()[50], bytes[50]);
  EXPECT_EQ(device.read(100, bytes), 100);
  EXPECT_FALSE(device.read(101, bytes).has_value());
  Device quota = open("fail-read-after=10");
  EXPECT_EQ(quota.read(0, std::span(bytes).first(10)), 10);
  EXPECT_FALSE(quota.read(0, std::span(bytes).first(1)).has_value());
}

TEST_F(Faulty, ShortTransfersAreContinued) {
  for (const char* spec : {"short=7", "short=512", "short=1,seed=4", "short=100,seed=4"}) {
    Device device = open(spec);
    const auto bytes = random_bytes(random_, 2000);
    EXPECT_EQ(device.write(3, bytes), 2000) << spec;
    std::vector<std::byte> found(2500);
    EXPECT_EQ(device.read(3, found), 2000) << spec;
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), found.begin())) << spec;
  }
}

TEST_F(Faulty, OperationsFailOnRequest) {
  const auto opened = open_device("faulty:fail-open,errno=EACCES:" + scratch_.file(), kCreate);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().kind, ErrorKind::access_denied);
  EXPECT_FALSE(std::filesystem::exists(scratch_.file()));
  Device device = open("fail-sync,fail-resize,fail-lock,fail-close");
  EXPECT_EQ(device->sync().error().kind, ErrorKind::io);
  EXPECT_EQ(device->resize(5).error().kind, ErrorKind::io);
  EXPECT_EQ(device->preallocate(5).error().kind, ErrorKind::io);
  EXPECT_EQ(device->lock({0, 5}, LockMode::shared).error().kind, ErrorKind::io);
  EXPECT_EQ(device->size(), 0);
  EXPECT_FALSE(device.close().has_value());
  EXPECT_TRUE(device.close().has_value());
}

TEST_F(Faulty, DrawsAreTheSameEveryTime) {
  std::string first;
  for (int turn = 0; turn < 2; ++turn) {
    Device device = open("fail-percent=30,seed=99");
    std::string outcome;
    for (int i = 0; i < 200; ++i) outcome += device.write(0, bytes_of("x")) ? '.' : 'F';
    const auto failures = std::count(outcome.begin(), outcome.end(), 'F');
    EXPECT_GT(failures, 30);
    EXPECT_LT(failures, 90);
    if (turn == 1) {
      EXPECT_EQ(outcome, first);
    }
    first = outcome;
  }
}

TEST_F(Faulty, DelaysTakeTime) {
  Device device = open("delay-us=20000");
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(device.write(0, bytes_of("x")), 1);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(20));
}

TEST_F(Faulty, RatesAreKept) {
  Device device = open("mbytes-per-s=2");
  const std::vector<std::byte> data(40'000);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(device.write(0, data), 40'000);
  const auto taken = std::chrono::steady_clock::now() - start;
  EXPECT_GE(taken, std::chrono::milliseconds(60));
  EXPECT_LT(taken, std::chrono::seconds(5));
}

TEST_F(Faulty, WrapsAnyDeviceAndItself) {
  auto device = open_device("faulty:short=5:faulty:short=3:striped:" + scratch_.file(), kCreate);
  ASSERT_TRUE(device.has_value()) << device.error().message;
  EXPECT_EQ((*device)->layout().io_nodes, 4);
  EXPECT_FALSE((*device)->facts().asynchronous);
  EXPECT_EQ(device->write(65530, bytes_of("0123456789")), 10);
  EXPECT_TRUE(remove_file("faulty:short=5:striped:" + scratch_.file()).has_value());
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.directory()));
}

TEST(FaultRules, GrammarIsStrict) {
  const auto rules = parse_fault_rules("torn-write-at=17,errno=28,delay-us=3,seed=0");
  ASSERT_TRUE(rules.has_value()) << rules.error().message;
  EXPECT_EQ(rules->torn_write_at, 17);
  EXPECT_EQ(rules->error, ENOSPC);
  EXPECT_EQ(rules->delay_us, 3);
  EXPECT_EQ(rules->seed, 0u);
  EXPECT_EQ(parse_fault_rules("")->error, EIO);
  for (const char* wrong : {"fail", "short", "short=0", "short=-1", "short=x", "short=1x", "short=",
                            "fail-open=1", "errno=EWHAT", "mbytes-per-s=0", "fail-percent=101", ",",
                            "fail-open,", "short=99999999999999999999", "=", "seed"}) {
    const auto refused = parse_fault_rules(wrong);
    ASSERT_FALSE(refused.has_value()) << wrong;
    EXPECT_EQ(refused.error().kind, ErrorKind::invalid_argument);
  }
  EXPECT_EQ(parse_fault_rules("seed=1,bogus=2").error().message,
            "faulty: the rule 'bogus=2' is not understood");
  EXPECT_EQ(open_device("faulty:short=5", kCreate).error().kind, ErrorKind::bad_file_name);
}

}  // namespace
}  // namespace tutti
