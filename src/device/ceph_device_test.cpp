// What the ceph device does where it is not in the contract: errors without a cluster; with one
// (TUTTI_TEST_CEPH), layouts and who sees whose bytes.
#include "device/ceph.hpp"

#include <dlfcn.h>
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

// What libcephfs.so offers to set an attribute, by a client of its own.
class OtherClient {
 public:
  OtherClient() : library_(dlopen("libcephfs.so.2", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    if (call<int(void**, const char*)>("ceph_create", &client_, nullptr) < 0) return;
    ready_ = call<int(void*, const char*)>("ceph_conf_read_file", client_, nullptr) >= 0 &&
             call<int(void*, const char*)>("ceph_mount", client_, nullptr) >= 0;
  }
  OtherClient(const OtherClient&) = delete;
  OtherClient& operator=(const OtherClient&) = delete;
  ~OtherClient() {
    if (ready_) call<int(void*)>("ceph_unmount", client_);
    if (client_ != nullptr) call<int(void*)>("ceph_release", client_);
  }
  int set(const std::string& path, const char* name, const std::string& value) {
    if (!ready_) return -1;
    return call<int(void*, const char*, const char*, const void*, std::size_t, int)>(
        "ceph_setxattr", client_, path.c_str(), name, value.data(), value.size(), 0);
  }

 private:
  template <class Function, class... Arguments>
  int call(const char* name, Arguments... arguments) {
    return reinterpret_cast<Function*>(dlsym(library_, name))(arguments...);
  }

  void* library_;  // never closed: it does not survive that
  void* client_ = nullptr;
  bool ready_ = false;
};

TEST_P(CephCluster, AnotherStripingOfAnEmptyOpenFile) {
  Device device = create(65'536, 4);
  const Extent range{0, 24 << 20};
  EXPECT_EQ(device->layout_for(range).unit_bytes, 65'536);
  OtherClient other;
  ASSERT_EQ(other.set(path_, "ceph.file.layout",
                      "stripe_unit=1048576 stripe_count=2 object_size=2097152"),
            0);
  // No owner by the old stripes.
  (void)device->size();
  const StripeLayout layout = device->layout_for(range);
  EXPECT_EQ(layout.unit_bytes, 1 << 20);
  EXPECT_TRUE(layout.covers(range));
  std::vector<std::byte> bytes(static_cast<std::size_t>(range.bytes));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 >> 3);
  ASSERT_EQ(device.write(0, bytes), range.bytes);
  ASSERT_TRUE(device->sync().has_value());
  auto again = open_ceph(path_, kReadWrite);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ((*again)->layout_report().striping, (Striping{1 << 20, 2, 0}));
  EXPECT_EQ((*again)->layout_for(range).print(), layout.print());
  std::vector<std::byte> found(bytes.size());
  ASSERT_EQ(again->read(0, found), range.bytes);
  EXPECT_TRUE(found == bytes);
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
