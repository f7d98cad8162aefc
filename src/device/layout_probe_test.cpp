#include "device/layout_probe.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "device/posix.hpp"
#include "device/test_scratch.hpp"
#include "layout/layout_blobs.hpp"

namespace tutti {
namespace {

// A file system of the test's making.
class Pretended final : public FileSystemQueries {
 public:
  std::int64_t kind(int) const override { return type; }
  std::int64_t kind(const std::string& path) const override {
    asked_folder = path;
    return type;
  }
  std::optional<std::vector<std::byte>> attribute(int, const char* name) const override {
    ++questions;
    const auto found = attributes.find(name);
    return found == attributes.end() ? std::nullopt : std::optional(found->second);
  }
  bool control(int, unsigned long request, std::span<std::byte> answer) const override {
    ++questions;
    asked_request = request;
    if (answers.size() != answer.size()) return false;
    std::copy(answers.begin(), answers.end(), answer.begin());
    return true;
  }
  bool create_with(const std::string&, int, const char* name,
                   std::span<const std::byte> value) const override {
    created[name] = {value.begin(), value.end()};
    return true;
  }

  std::int64_t type = 0;
  std::map<std::string, std::vector<std::byte>> attributes;
  std::vector<std::byte> answers;
  mutable int questions = 0;
  mutable unsigned long asked_request = 0;
  mutable std::string asked_folder;
  mutable std::map<std::string, std::vector<std::byte>> created;
};

TEST(LayoutProbe, OrdinaryFileSystemsAreAskedNothing) {
  Pretended system;
  system.type = 0x01021994;
  const ProbedLayout probed = probe_layout(3, system);
  EXPECT_FALSE(probed.found.layout.striped());
  EXPECT_EQ(probed.problem, "");
  EXPECT_EQ(system.questions, 0);
}

TEST(LayoutProbe, Lustre) {
  Pretended system;
  system.type = 0x0BD00BD0;
  EXPECT_FALSE(probe_layout(3, system).found.layout.striped()) << "no attribute, no layout";
  system.attributes["lustre.lov"] =
      testing_blobs::lustre_plain({0x0BD30BD0, 1, 1 << 20, {3, 1, 2}});
  const ProbedLayout probed = probe_layout(3, system);
  EXPECT_EQ(probed.found.layout, (StripeLayout{1 << 20, 3, 0}));
  EXPECT_EQ(probed.found.striping, (Striping{1 << 20, 3, 3}));
  system.attributes["lustre.lov"].resize(40);
  const ProbedLayout cut = probe_layout(3, system);
  EXPECT_EQ(cut.found.layout, StripeLayout());
  EXPECT_NE(cut.problem, "");
}

// A file whose later parts have no objects yet is asked about again; what it then says and nobody
// understands is reported.
TEST(LayoutProbe, WhatIsNotUnderstoodLaterIsReported) {
  const Scratch scratch;
  Pretended system;
  system.type = 0x0BD00BD0;
  const testing_blobs::LustreStripes stripes{0x0BD10BD0, 1, 1 << 20, {3, 1}};
  system.attributes["lustre.lov"] =
      testing_blobs::lustre_composite({{.end = 4 << 20, .stripes = stripes},
                                       {.id = 2,
                                        .start = 4 << 20,
                                        .end = ~std::uint64_t{0},
                                        .flags = 0,
                                        .stripes = {0x0BD10BD0, 1, 1 << 20, {}}}});
  auto file = PosixFile::open(scratch.file(), {.read = true, .write = true, .create = true});
  ASSERT_TRUE(file.has_value());
  const PosixBackend device(std::move(*file), system);
  ASSERT_TRUE(device.layout().striped());
  ASSERT_FALSE(device.layout().complete());
  EXPECT_EQ(device.layout_report().problem, "");
  system.attributes["lustre.lov"].resize(40);
  EXPECT_EQ(device.layout_for({0, 1 << 20}), device.layout()) << "known: nobody is asked";
  EXPECT_EQ(device.layout_report().problem, "");
  EXPECT_EQ(device.layout_for({5 << 20, 100}), StripeLayout());
  EXPECT_EQ(device.layout_report().problem, probe_layout(3, system).problem);
  EXPECT_NE(device.layout_report().problem, "");
}

TEST(LayoutProbe, Beegfs) {
  Pretended system;
  system.type = 0x19830326;
  EXPECT_FALSE(probe_layout(3, system).found.layout.striped());
  system.answers = std::vector<std::byte>(12);
  EXPECT_NE(probe_layout(3, system).problem, "") << "chunks of no bytes";
  system.answers[0] = std::byte{1};
  system.answers[6] = std::byte{8};
  system.answers[8] = std::byte{4};
  EXPECT_EQ(probe_layout(3, system).found.layout, (StripeLayout{1 << 19, 4, 0}));
  // Read, 12 bytes, 'f', 25: the number the file system's client knows.
  EXPECT_EQ(system.asked_request, 0x800C6619UL);
}

TEST(LayoutProbe, CephThroughAMount) {
  for (const std::int64_t type : {0x00C36400, 0x65735546}) {
    Pretended system;
    system.type = type;
    EXPECT_EQ(probe_layout(3, system).problem, "") << "another file system in user space";
    system.attributes["ceph.file.layout"] =
        bytes_of("stripe_unit=65536 stripe_count=4 object_size=4194304 pool=data");
    const ProbedLayout probed = probe_layout(3, system);
    EXPECT_EQ(probed.found.striping, (Striping{65536, 4, 0}));
    EXPECT_FALSE(probed.found.layout.complete());
    system.attributes["ceph.file.layout"] = bytes_of("stripe_unit=0");
    EXPECT_NE(probe_layout(3, system).problem, "");
  }
}

TEST(LayoutProbe, WishesGoToLustreOnly) {
  Pretended system;
  EXPECT_FALSE(create_striped_as("/a/b", 0644, {1 << 20, 4, 2}, system));
  EXPECT_EQ(system.asked_folder, "/a");
  system.type = 0x0BD00BD0;
  EXPECT_FALSE(create_striped_as("/b", 0644, {}, system)) << "no wish";
  EXPECT_TRUE(system.created.empty());
  EXPECT_TRUE(create_striped_as("/b", 0644, {1 << 20, 4, 2}, system));
  EXPECT_EQ(system.asked_folder, "/");
  EXPECT_EQ(system.created["lustre.lov"].size(), 32U);
  EXPECT_TRUE(create_striped_as("b", 0644, {1 << 20, 4, 2}, system));
  EXPECT_EQ(system.asked_folder, ".");
}

TEST(LayoutProbe, TheSystemItselfAnswers) {
  const Scratch scratch;
  auto file = PosixFile::open(scratch.file(), {.read = true, .write = true, .create = true});
  ASSERT_TRUE(file.has_value());
  EXPECT_EQ(system_queries().kind(file->descriptor()), 0x01021994) << "/dev/shm is a tmpfs";
  EXPECT_EQ(system_queries().kind(scratch.directory()), 0x01021994);
  EXPECT_FALSE(system_queries().attribute(file->descriptor(), "lustre.lov").has_value());
  const std::string fresh = scratch.file("fresh");
  EXPECT_FALSE(system_queries().create_with(fresh, 0644, "lustre.lov", bytes_of("x")));
  EXPECT_NE(access(fresh.c_str(), F_OK), 0) << "a file that got no striping is not left behind";
  EXPECT_FALSE(system_queries().create_with(scratch.file(), 0644, "lustre.lov", bytes_of("x")));
  EXPECT_EQ(access(scratch.file().c_str(), F_OK), 0) << "a file that was there stays";
}

}  // namespace
}  // namespace tutti
