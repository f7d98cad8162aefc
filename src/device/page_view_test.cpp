#include "device/page_view.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "device/posix_file.hpp"

namespace tutti {
namespace {

// Of this process, with the files it has mapped.
std::int64_t resident_bytes() {
  std::ifstream facts("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  facts >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

class PageViewOfAFile : public testing::Test {
 protected:
  static constexpr std::int64_t kBytes = 1 << 20;

  void SetUp() override {
    path_ = "/dev/shm/tutti-page-view-" + std::to_string(getpid());
    file_ = *PosixFile::open(path_, {.read = true, .write = true, .create = true});
    stored_.resize(kBytes);
    for (std::size_t i = 0; i < stored_.size(); ++i) stored_[i] = static_cast<std::byte>(i * 7 / 3);
    Transfer fill{TransferKind::write, 0, stored_.data(), kBytes, 0};
    ASSERT_TRUE(file_.transfer({&fill, 1}).has_value());
  }
  void TearDown() override { unlink(path_.c_str()); }

  PageView open(Extent range) { return *PageView::open(file_.descriptor(), path_, range, true); }

  void write_byte(std::int64_t at, std::byte value) {
    Transfer change{TransferKind::write, at, &value, 1, 0};
    ASSERT_TRUE(file_.transfer({&change, 1}).has_value());
  }
  std::byte read_byte(std::int64_t at) {
    std::byte value{};
    Transfer look{TransferKind::read, at, &value, 1, 0};
    EXPECT_TRUE(file_.transfer({&look, 1}).has_value());
    return value;
  }

  std::string path_;
  PosixFile file_;
  std::vector<std::byte> stored_;
};

TEST_F(PageViewOfAFile, ShowsOnePartAfterTheOther) {
  PageView view = open({5'000, 900'000});
  for (const Extent part : {Extent{5'000, 1}, {4'097 + 5'000, 70'000}, {899'999, 5'001}}) {
    ASSERT_TRUE(view.covers(part));
    bool same = false;
    ASSERT_TRUE(view.look(part,
                          [&](const std::byte* seen) {
                            same =
                                std::equal(seen, seen + part.bytes, stored_.begin() + part.offset);
                          })
                    .has_value());
    EXPECT_TRUE(same) << part.offset;
  }
  EXPECT_GE(view.shown(), 75'002);
}

TEST_F(PageViewOfAFile, SeesWhatIsWrittenLater) {
  PageView view = open({0, kBytes});
  std::byte seen_now{};
  const auto look = [&](const std::byte* seen) { seen_now = *seen; };
  ASSERT_TRUE(view.look({70'000, 1}, look).has_value());
  EXPECT_EQ(seen_now, stored_[70'000]);
  const std::byte other = ~stored_[70'000];
  write_byte(70'000, other);
  ASSERT_TRUE(view.look({70'000, 1}, look).has_value());
  EXPECT_EQ(seen_now, other);
}

TEST_F(PageViewOfAFile, KeepsPagesUntilTheyAreForgotten) {
  constexpr std::int64_t kMega = 1 << 20;
  ASSERT_TRUE(file_.resize(8 * kMega).has_value());
  const std::int64_t before = resident_bytes();
  PageView view = open({0, 8 * kMega});
  const auto last_of = [&](Extent range) {
    std::byte last{};
    const Status seen = view.look(range, [&](const std::byte* at) {
      for (std::int64_t i = 0; i < range.bytes; i += 4096) last |= at[i];  // touches every page
      last = at[range.bytes - 1];
    });
    EXPECT_TRUE(seen.has_value());
    return last;
  };
  last_of({kMega, 4 * kMega});
  last_of({3 * kMega, 3 * kMega});
  last_of({2 * kMega + 5, 100});
  EXPECT_EQ(view.shown(), 5 * kMega);
  EXPECT_GE(resident_bytes() - before, 4 * kMega);

  // What is written meanwhile is seen, also where the file was shorter in between.
  write_byte(2 * kMega - 1, std::byte{9});
  EXPECT_EQ(last_of({kMega, kMega}), std::byte{9});
  ASSERT_TRUE(file_.resize(0).has_value());
  ASSERT_TRUE(file_.resize(8 * kMega).has_value());
  EXPECT_EQ(last_of({kMega, kMega}), std::byte{0});

  view.forget();
  EXPECT_EQ(view.shown(), 0);
  EXPECT_LT(resident_bytes() - before, kMega);
  write_byte(2 * kMega - 1, std::byte{8});
  EXPECT_EQ(last_of({kMega, kMega}), std::byte{8});
}

TEST_F(PageViewOfAFile, StoresExactlyWhatIsStored) {
  PageView view = open({0, kBytes});
  ASSERT_TRUE(view.change({4'095, 3}, [](std::byte* at) { at[1] = std::byte{77}; }));
  EXPECT_EQ(read_byte(4'095), stored_[4'095]);
  EXPECT_EQ(read_byte(4'096), std::byte{77});
  EXPECT_EQ(read_byte(4'097), stored_[4'097]);
}

TEST_F(PageViewOfAFile, SaysWhereItCouldNotStore) {
  PageView view = open({0, kBytes});
  ASSERT_TRUE(file_.resize(0).has_value());
  EXPECT_FALSE(view.change({0, kBytes}, [](std::byte* at) { at[0] = std::byte{1}; }));
  EXPECT_EQ(*file_.size(), 0);
}

TEST_F(PageViewOfAFile, CoversItsRangeOnly) {
  EXPECT_FALSE(PageView().covers({0, 1}));
  const PageView view = open({8'192, 4'096});
  EXPECT_TRUE(view.covers({8'192, 4'096}));
  EXPECT_FALSE(view.covers({8'191, 1}));
  EXPECT_FALSE(view.covers({12'287, 2}));
}

TEST_F(PageViewOfAFile, AFileCutShortIsAnErrorOfThatLook) {
  PageView view = open({0, kBytes});
  const Status seen = view.look({0, kBytes}, [&](const std::byte* at) {
    ASSERT_EQ(truncate(path_.c_str(), 4'096), 0);
    [[maybe_unused]] volatile std::byte gone = at[500'000];
  });
  ASSERT_FALSE(seen.has_value());
  EXPECT_EQ(seen.error().kind, ErrorKind::io);
  EXPECT_NE(seen.error().message.find(path_), std::string::npos);
  std::byte first{};
  ASSERT_TRUE(view.look({0, 1}, [&](const std::byte* at) { first = *at; }).has_value());
  EXPECT_EQ(first, stored_[0]);
}

TEST_F(PageViewOfAFile, IsRefusedWhereNothingCanBeMapped) {
  const auto view = PageView::open(-1, path_, {0, kBytes}, false);
  ASSERT_FALSE(view.has_value());
  EXPECT_NE(view.error().message.find(path_), std::string::npos);
}

}  // namespace
}  // namespace tutti
