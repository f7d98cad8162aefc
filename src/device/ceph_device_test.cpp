// What the ceph device does where it is not in the contract: errors without a cluster; with one
// (TUTTI_TEST_CEPH), layouts and who sees whose bytes.
#include "device/ceph.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>

#include "device/test_scratch.hpp"

namespace tutti {
namespace {

constexpr OpenOptions kReadWrite{.read = true, .write = true};

// A variable of the environment, put back afterwards.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(CephDevice, WithoutAConfigurationTheErrorNamesIt) {
  const Scratch scratch;
  const Variable conf("CEPH_CONF", scratch.file("nowhere.conf"));
  const auto device = open_ceph("/some/file", kReadWrite);
  ASSERT_FALSE(device.has_value());
  EXPECT_NE(device.error().message.find("/some/file"), std::string::npos);
  const bool built = device.error().kind != ErrorKind::unsupported_operation;
  EXPECT_NE(device.error().message.find(built ? scratch.file("nowhere.conf") : "libtutti_ceph.so"),
            std::string::npos)
      << device.error().message;
  EXPECT_FALSE(remove_ceph("/some/file").has_value());
}

TEST(CephDevice, WithoutMonitorsItGivesUpInTime) {
  const Scratch scratch;
  std::ofstream(scratch.file("ceph.conf"))
      << "[global]\nfsid = 2f1c9f2e-0000-4000-8000-000000000000\n"
         "mon host = [v2:127.0.0.1:9/0,v1:127.0.0.1:19/0]\n"
         "auth client required = none\nlog file =\nadmin socket =\n";
  const Variable conf("CEPH_CONF", scratch.file("ceph.conf"));
  const Variable bound("TUTTI_CEPH_TIMEOUT", "2");
  const auto began = std::chrono::steady_clock::now();
  const auto device = open_ceph("/some/file", kReadWrite);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  ASSERT_FALSE(device.has_value());
  EXPECT_LT(took.count(), 12);
  if (device.error().kind == ErrorKind::unsupported_operation) return;  // not built
  EXPECT_EQ(device.error().kind, ErrorKind::io);
  EXPECT_NE(device.error().message.find(scratch.file("ceph.conf")), std::string::npos)
      << device.error().message;
}

// Once where there is a cluster, otherwise not at all.
class CephCluster : public testing::TestWithParam<std::string> {
 protected:
  void TearDown() override { (void)remove_ceph(path_); }
  Device create(std::int64_t unit, std::int32_t factor) {
    OpenOptions options = kReadWrite;
    options.create = true;
    options.striping_unit = unit;
    options.striping_factor = factor;
    auto device = open_ceph(path_, options);
    EXPECT_TRUE(device.has_value()) << device.error().message;
    return device ? std::move(*device) : Device();
  }

  std::string path_ = "/tutti_ceph_device_" + std::to_string(getpid());
};

TEST_P(CephCluster, WishesAreHonouredAndReported) {
  const Device device = create(100'000, 3);
  EXPECT_EQ(device->layout_report().striping, (Striping{131'072, 3, 0})) << "whole 64 KiB";
  const StripeLayout layout = device->layout();
  EXPECT_FALSE(layout.round_robin());
  EXPECT_FALSE(layout.complete());
  EXPECT_EQ(layout.unit_bytes, 131'072);
}

TEST_P(CephCluster, EveryExtentHasItsOsd) {
  const Device device = create(65'536, 4);
  const Extent range{1'000'000, 100 << 20};
  const StripeLayout layout = device->layout_for(range);
  ASSERT_TRUE(layout.covers(range));
  std::set<std::int32_t> nodes;
  std::int64_t bytes = 0;
  for_each_node_run(layout, range, [&](Extent run, std::int32_t node) {
    nodes.insert(node);
    bytes += run.bytes;
  });
  EXPECT_EQ(bytes, range.bytes);
  EXPECT_GT(nodes.size(), 1U) << "one hundred objects on four OSDs";
  EXPECT_EQ(layout, device->layout_for(range));
  // The same to another opener, who computes it from the same map.
  auto other = open_ceph(path_, kReadWrite);
  ASSERT_TRUE(other.has_value());
  EXPECT_EQ(layout.print(), (*other)->layout_for(range).print());
}

TEST_P(CephCluster, OpensOfOneProcessShareTheConnection) {
  const auto began = std::chrono::steady_clock::now();
  Device first = create(0, 0);
  std::vector<Device> more;
  for (int i = 0; i < 50; ++i) {
    auto again = open_ceph(path_, kReadWrite);
    ASSERT_TRUE(again.has_value());
    more.push_back(std::move(*again));
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  EXPECT_LT(took.count(), 5);
  ASSERT_EQ(more[7].write(3, bytes_of("shared")), 6);
  std::vector<std::byte> found(6);
  EXPECT_EQ(more[31].read(3, found), 6);
  EXPECT_EQ(found, bytes_of("shared"));
}

TEST_P(CephCluster, CoherentAndLazyInTurn) {
  Device device = create(0, 0);
  EXPECT_TRUE(device->facts().lazy);
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(device->set_coherent(true).has_value());
    EXPECT_FALSE(device->facts().lazy);
    ASSERT_EQ(device.write(round * 10, bytes_of("coherent")), 8);
    ASSERT_TRUE(device->set_coherent(false).has_value());
    ASSERT_EQ(device.write(round * 10 + 8, bytes_of("ly")), 2);
    device->distrust();
    std::vector<std::byte> found(10);
    EXPECT_EQ(device.read(round * 10, found), 10);
    EXPECT_EQ(found, bytes_of("coherently"));
    EXPECT_TRUE(device->publish().has_value());
  }
}

std::vector<std::string> clusters() {
  return std::getenv("TUTTI_TEST_CEPH") == nullptr ? std::vector<std::string>()
                                                   : std::vector<std::string>{"ceph"};
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CephCluster);
INSTANTIATE_TEST_SUITE_P(Ceph, CephCluster, testing::ValuesIn(clusters()));

}  // namespace
}  // namespace tutti
