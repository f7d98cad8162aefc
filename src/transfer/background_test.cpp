#include "transfer/background.hpp"

#include <unistd.h>

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "device/registry.hpp"

namespace tutti {
namespace {

class BackgroundAccess : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    name_ = std::string(GetParam()) + "/dev/shm/tutti-background-" + std::to_string(getpid());
  }
  void TearDown() override { (void)remove_file(name_); }
  std::string name_;
};

TEST_P(BackgroundAccess, WritesAndReadsInTurns) {
  auto device = open_device(name_, {.read = true, .write = true, .create = true});
  ASSERT_TRUE(device.has_value());
  constexpr std::int64_t kBytes = 1 << 20;
  std::vector<std::byte> halves[2] = {std::vector<std::byte>(kBytes),
                                      std::vector<std::byte>(kBytes)};
  Background background(*device);
  for (int round = 0; round < 10; ++round) {
    auto& half = halves[round % 2];
    ASSERT_TRUE(background.finish(round % 2).has_value());
    std::fill(half.begin(), half.end(), static_cast<std::byte>(round));
    background.start(round % 2, {TransferKind::write, round * kBytes, half.data(), kBytes, 0});
  }
  EXPECT_EQ(*background.finish(0), kBytes);
  EXPECT_EQ(*background.finish(1), kBytes);
  EXPECT_EQ(*background.finish(1), 0) << "an idle slot";
  for (int round = 0; round < 10; ++round) {
    background.start(0, {TransferKind::read, round * kBytes, halves[0].data(), kBytes, 0});
    ASSERT_EQ(*background.finish(0), kBytes);
    EXPECT_TRUE(std::all_of(halves[0].begin(), halves[0].end(),
                            [&](std::byte b) { return b == static_cast<std::byte>(round); }));
  }
}

TEST_P(BackgroundAccess, ListsAreIssuedInOrder) {
  auto device = open_device(name_, {.read = true, .write = true, .create = true});
  ASSERT_TRUE(device.has_value());
  constexpr std::int64_t kBytes = 100;
  std::vector<std::byte> memory(10 * kBytes);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i % 251);
  TransferLists lists(3);
  for (std::int64_t i = 9; i >= 0; --i)
    lists.add({TransferKind::write, i * kBytes, memory.data() + i * kBytes, kBytes, 0}, i == 5);
  EXPECT_EQ(lists.lists(), 4) << "of 3, 1, 3 and 3";
  Background background(*device);
  background.start(1, std::move(lists));
  EXPECT_EQ(*background.finish(1), 10 * kBytes);
  std::vector<std::byte> found(memory.size());
  ASSERT_EQ(*device->read(0, found), 10 * kBytes);
  EXPECT_EQ(found, memory);
}

TEST_P(BackgroundAccess, ReportsFailures) {
  std::vector<std::byte> memory(1 << 20);
  auto device = open_device(name_, {.read = true, .write = true, .create = true});
  ASSERT_TRUE(device.has_value());
  Background background(*device);
  background.start(0, {TransferKind::read, -5, memory.data(), 1 << 20, 0});
  EXPECT_FALSE(background.finish(0).has_value());
}

INSTANTIATE_TEST_SUITE_P(Devices, BackgroundAccess, ::testing::Values("", "uring:"));

}  // namespace
}  // namespace tutti
