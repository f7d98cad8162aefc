// The subject of the contract suites: every registered device in turn. A device enters by its line
// in registry.cpp; the table below tells where its scratch files go, and a device missing there
// fails.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "device/registry.hpp"
#include "device/test_scratch.hpp"

namespace tutti {

inline std::map<std::string, std::string> scratch_names(const Scratch& scratch) {
  return {
      {"posix", scratch.file()},
      {"uring", "uring:" + scratch.file()},
      {"memory", "memory:" + scratch.file()},
      {"striped", "striped:" + scratch.file()},
      {"ceph", "ceph:/tutti_contract_" + std::to_string(getpid()) + "_" +
                   scratch.directory().substr(scratch.directory().size() - 6)},
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

// All of them but ceph, which has tests only where TUTTI_TEST_CEPH says that there is a cluster.
inline std::vector<std::string> all_devices() {
  const bool cluster = std::getenv("TUTTI_TEST_CEPH") != nullptr;
  std::vector<std::string> names;
  for (const DeviceKind& kind : device_kinds())
    if (kind.name != "ceph" || cluster) names.emplace_back(kind.name);
  return names;
}

inline std::string device_test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

}  // namespace tutti
