#include "device/mapped_file.hpp"

#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "device/page_view.hpp"

namespace tutti {
namespace {

Status view_of(const PosixFile& file, Extent range,
               const std::function<void(const std::byte*)>& look) {
  return PageView::open(file.descriptor(), file.path(), range, false)->look(range, look);
}

class MappedFile : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = "/dev/shm/tutti-mapped-" + std::to_string(getpid());
    auto opened = PosixFile::open(path_, {.read = true, .write = true, .create = true});
    ASSERT_TRUE(opened.has_value());
    file_ = std::move(*opened);
  }
  void TearDown() override { unlink(path_.c_str()); }

  std::vector<std::byte> contents() const {
    std::vector<std::byte> all(static_cast<std::size_t>(*file_.size()));
    Transfer whole{TransferKind::read, 0, all.data(), std::ssize(all), 0};
    EXPECT_TRUE(file_.transfer({&whole, 1}).has_value());
    return all;
  }

  std::string path_;
  PosixFile file_;
};

TEST_F(MappedFile, StoresExactlyWhatIsStoredAndExtendsTheFile) {
  ASSERT_TRUE(can_map(file_));
  std::vector<std::byte> expected(10'000, std::byte{7});
  Transfer fill{TransferKind::write, 0, expected.data(), 10'000, 0};
  ASSERT_TRUE(file_.transfer({&fill, 1}).has_value());
  const Status stored = store_mapped(file_, {5'001, 9'000}, [](std::byte* at) {
    for (int i = 0; i < 9'000; i += 3) at[i] = std::byte{9};
  });
  ASSERT_TRUE(stored.has_value()) << stored.error().message;
  expected.resize(14'001);
  for (std::size_t i = 0; i < 9'000; i += 3) expected[5'001 + i] = std::byte{9};
  EXPECT_TRUE(contents() == expected);
}

TEST_F(MappedFile, KeepsWhatOthersWriteBetweenThePieces) {
  constexpr std::int64_t kBytes = 1 << 20;
  ASSERT_TRUE(file_.resize(kBytes).has_value());
  std::thread other([&] {
    std::byte one{1};
    for (std::int64_t at = 1; at < kBytes; at += 64) {
      Transfer piece{TransferKind::write, at, &one, 1, 0};
      ASSERT_TRUE(file_.transfer({&piece, 1}).has_value());
    }
  });
  for (int round = 0; round < 20; ++round)
    ASSERT_TRUE(store_mapped(file_, {0, kBytes}, [&](std::byte* at) {
                  for (std::int64_t i = 0; i < kBytes; i += 64) at[i] = std::byte{2};
                }).has_value());
  other.join();
  const auto all = contents();
  for (std::size_t i = 0; i < all.size(); i += 64) {
    ASSERT_EQ(all[i], std::byte{2});
    ASSERT_EQ(all[i + 1], std::byte{1});
  }
}

TEST_F(MappedFile, AFileCutShortMeanwhileIsAnError) {
  const Status stored = store_mapped(file_, {0, 1 << 20}, [&](std::byte* at) {
    ASSERT_EQ(truncate(path_.c_str(), 0), 0);
    at[500'000] = std::byte{1};
  });
  ASSERT_FALSE(stored.has_value());
  EXPECT_EQ(stored.error().kind, ErrorKind::io);
  EXPECT_NE(stored.error().message.find(path_), std::string::npos);
}

TEST_F(MappedFile, ShowsWhatTheFileHolds) {
  std::vector<std::byte> stored(50'000);
  for (std::size_t i = 0; i < stored.size(); ++i) stored[i] = static_cast<std::byte>(i * 11);
  Transfer fill{TransferKind::write, 0, stored.data(), std::ssize(stored), 0};
  ASSERT_TRUE(file_.transfer({&fill, 1}).has_value());
  auto reader = PosixFile::open(path_, {.read = true});
  ASSERT_TRUE(can_view(*reader));
  EXPECT_FALSE(can_map(*reader));
  bool same = false;
  ASSERT_TRUE(view_of(*reader, {4'097, 40'000}, [&](const std::byte* seen) {
                same = std::equal(seen, seen + 40'000, stored.begin() + 4'097);
              }).has_value());
  EXPECT_TRUE(same);
}

TEST_F(MappedFile, AFileCutShortWhileItIsReadIsAnError) {
  ASSERT_TRUE(file_.resize(1 << 20).has_value());
  const Status seen = view_of(file_, {0, 1 << 20}, [&](const std::byte* at) {
    ASSERT_EQ(truncate(path_.c_str(), 0), 0);
    [[maybe_unused]] volatile std::byte gone = at[500'000];
  });
  ASSERT_FALSE(seen.has_value());
  EXPECT_EQ(seen.error().kind, ErrorKind::io);
}

TEST_F(MappedFile, OnlyLocalRegularFilesOpenForBothAreMapped) {
  EXPECT_FALSE(can_map(*PosixFile::open("/dev/full", {.read = true, .write = true})));
  EXPECT_FALSE(can_map(*PosixFile::open(path_, {.read = false, .write = true})));
  EXPECT_FALSE(can_map(*PosixFile::open("/proc/version", {.read = true})));
}

TEST(MappedFileOnAFullDisk, FailsBeforeItStores) {
  if (geteuid() != 0) GTEST_SKIP() << "mounting a small file system needs root";
  const std::string directory = "/tmp/tutti-small-" + std::to_string(getpid());
  ASSERT_EQ(mkdir(directory.c_str(), 0700), 0);
  ASSERT_EQ(mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=65536"), 0);
  {
    auto file = PosixFile::open(directory + "/f", {.read = true, .write = true, .create = true});
    ASSERT_TRUE(file.has_value());
    bool stored_anything = false;
    const Status stored =
        store_mapped(*file, {0, 1 << 20}, [&](std::byte*) { stored_anything = true; });
    ASSERT_FALSE(stored.has_value());
    EXPECT_EQ(stored.error().kind, ErrorKind::no_space);
    EXPECT_FALSE(stored_anything);
  }
  EXPECT_EQ(umount(directory.c_str()), 0);
  rmdir(directory.c_str());
}

}  // namespace
}  // namespace tutti
