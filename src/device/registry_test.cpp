#include "device/registry.hpp"

#include <gtest/gtest.h>

#include <set>

#include "device/test_scratch.hpp"

namespace tutti {
namespace {

std::pair<std::string, std::string> parsed(std::string_view name) {
  const DeviceName result = parse_device_name(name);
  return {std::string(result.kind->name), result.path};
}
using Pair = std::pair<std::string, std::string>;

TEST(Registry, OwnPrefixes) {
  EXPECT_EQ(parsed("posix:/a/b"), Pair("posix", "/a/b"));
  EXPECT_EQ(parsed("uring:/a/b"), Pair("uring", "/a/b"));
  EXPECT_EQ(parsed("memory:x"), Pair("memory", "x"));
  EXPECT_EQ(parsed("mem:x"), Pair("memory", "x"));
  EXPECT_EQ(parsed("striped:/a/b"), Pair("striped", "/a/b"));
  EXPECT_EQ(parsed("faulty:short=5:striped:/a"), Pair("faulty", "short=5:striped:/a"));
}

TEST(Registry, RomioPrefixesMeanTheDefault) {
  for (const char* prefix : {"ufs", "nfs", "xfs", "lustre", "gpfs", "panfs", "pvfs2", "testfs",
                             "daos", "quobyte", "UFS", "NFS", "Lustre"}) {
    EXPECT_EQ(parsed(std::string(prefix) + ":/a/b"), Pair("posix", "/a/b")) << prefix;
  }
}

TEST(Registry, EverythingElseIsAPath) {
  for (const char* path : {"/a/b", "a:b", "C:/x", "/data/run:12/out", "ufs", "posixx:/a",
                           "x.ufs:/a", ":a", "MEMORY:x", "./ufs:a", ""}) {
    EXPECT_EQ(parsed(path), Pair("posix", path));
  }
  EXPECT_EQ(parsed("ufs:a:b"), Pair("posix", "a:b"));
  EXPECT_EQ(parsed("ufs:memory:b"), Pair("posix", "memory:b"));
}

TEST(Registry, TheDefaultComesFirstAndNamesAreDistinct) {
  EXPECT_EQ(device_kinds().front().name, "posix");
  std::set<std::string_view> names;
  for (const DeviceKind& kind : device_kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.help.empty());
    EXPECT_EQ(parse_device_name(std::string(kind.name) + ":p").kind, &kind);
  }
}

TEST(Registry, EmptyNamesAreRefused) {
  for (const char* name : {"", "posix:", "ufs:", "memory:"}) {
    const auto device = open_device(name, {.read = true, .write = true, .create = true});
    ASSERT_FALSE(device.has_value()) << name;
    EXPECT_EQ(device.error().kind, ErrorKind::bad_file_name);
    EXPECT_EQ(remove_file(name).error().kind, ErrorKind::bad_file_name);
  }
}

TEST(Registry, PrefixesReachTheSameFile) {
  const Scratch scratch;
  auto made = open_device("ufs:" + scratch.file(), {.read = true, .write = true, .create = true});
  ASSERT_TRUE(made.has_value()) << made.error().message;
  ASSERT_EQ(made->write(0, bytes_of("abc")), 3);
  auto again = open_device("uring:" + scratch.file(), {});
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ((*again)->size(), 3);
  EXPECT_TRUE(remove_file("nfs:" + scratch.file()).has_value());
}

TEST(Registry, PathsWithColons) {
  const Scratch scratch;
  auto made = open_device(scratch.file("a:b"), {.read = true, .write = true, .create = true});
  ASSERT_TRUE(made.has_value()) << made.error().message;
  EXPECT_TRUE(std::filesystem::exists(scratch.file("a:b")));
}

}  // namespace
}  // namespace tutti
