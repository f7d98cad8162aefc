// ranks: 1 2 3 4
// The shared file pointer, through memory and through the network.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "mpi/owned.hpp"
#include "support/shared_pointer_calls.hpp"

namespace tutti {
namespace {

using test::is_error;
using test::SharedFile;
using test::SharedPointerCalls;

TEST_P(SharedPointerCalls, StartsAtZeroAndANewViewPutsItBack) {
  expect_position(0);
  const int number = rank_;
  TUTTI_OK(MPI_File_write_shared(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  expect_position(4 * ranks_);
  TUTTI_OK(view_of_ints(8));
  expect_position(0);
  MPI_Offset own = -1;
  TUTTI_OK(MPI_File_get_position(handle_, &own));
  EXPECT_EQ(own, 0) << "the individual pointer is another one";
}

TEST_P(SharedPointerCalls, WritesGetPlacesOfTheirOwnInTheOrderOfEachRank) {
  constexpr int kRecords = 150;
  TUTTI_OK(view_of_ints());
  for (int i = 0; i < kRecords; ++i) {
    const int length = 3 + (i * 7 + rank_) % 5;
    std::vector<int> record(static_cast<std::size_t>(length), 1000 * rank_ + i);
    record[0] = -length;
    MPI_Status status;
    TUTTI_OK(MPI_File_write_shared(handle_, record.data(), length, MPI_INT, &status));
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    ASSERT_EQ(count, length);
  }
  const std::vector<int> found = numbers_in_file();
  std::map<int, int> next;
  std::size_t at = 0;
  while (at < found.size()) {
    const int length = -found[at];
    ASSERT_GT(length, 2);
    const int writer = found[at + 1] / 1000;
    EXPECT_EQ(found[at + 1] % 1000, next[writer]++);
    for (int k = 1; k < length; ++k)
      ASSERT_EQ(found[at + static_cast<std::size_t>(k)], found[at + 1]);
    at += static_cast<std::size_t>(length);
  }
  for (int r = 0; r < ranks_; ++r) EXPECT_EQ(next[r], kRecords);
  expect_position(static_cast<MPI_Offset>(found.size()));
}

TEST_P(SharedPointerCalls, NonblockingAccessesClaimTheirPlacesAtOnce) {
  constexpr int kWrites = 20;
  TUTTI_OK(view_of_ints());
  std::vector<int> numbers(2 * kWrites);
  std::vector<MPI_Request> requests(kWrites, MPI_REQUEST_NULL);
  for (int i = 0; i < kWrites; ++i) {
    int* const pair = numbers.data() + 2 * i;
    pair[0] = pair[1] = 100 * rank_ + i;
    TUTTI_OK(
        MPI_File_iwrite_shared(handle_, pair, 2, MPI_INT, &requests[static_cast<std::size_t>(i)]));
  }
  expect_position(2 * kWrites * ranks_);
  TUTTI_OK(MPI_Waitall(kWrites, requests.data(), MPI_STATUSES_IGNORE));
  std::vector<int> found = numbers_in_file();
  ASSERT_EQ(found.size(), static_cast<std::size_t>(2 * kWrites * ranks_));
  std::vector<int> next(static_cast<std::size_t>(ranks_), 0);
  for (std::size_t i = 0; i < found.size(); i += 2) {
    EXPECT_EQ(found[i], found[i + 1]);
    EXPECT_EQ(found[i] % 100, next[static_cast<std::size_t>(found[i] / 100)]++);
  }
  TUTTI_OK(MPI_File_seek_shared(handle_, 0, MPI_SEEK_SET));
  int back[2] = {-1, -2};
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_OK(MPI_File_iread_shared(handle_, back, 2, MPI_INT, &request));
  MPI_Status status;
  TUTTI_OK(MPI_Wait(&request, &status));
  int count = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT_EQ(count, 2);
  EXPECT_EQ(back[0], back[1]);
  expect_position(2 * ranks_);
}

TEST_P(SharedPointerCalls, ReadsGetEveryElementOnce) {
  constexpr int kNumbers = 500;
  std::vector<int> numbers(kNumbers);
  std::iota(numbers.begin(), numbers.end(), 0);
  if (rank_ == 0) {
    TUTTI_OK(MPI_File_write_at(handle_, 0, numbers.data(), kNumbers, MPI_INT, MPI_STATUS_IGNORE));
  }
  TUTTI_OK(view_of_ints());
  std::vector<int> seen(kNumbers, 0);
  int count = 3;
  while (count == 3) {
    int got[3] = {};
    MPI_Status status;
    TUTTI_OK(MPI_File_read_shared(handle_, got, 3, MPI_INT, &status));
    MPI_Get_count(&status, MPI_INT, &count);
    for (int i = 0; i < count; ++i) ++seen[static_cast<std::size_t>(got[i])];
  }
  std::vector<int> all(kNumbers, 0);
  MPI_Allreduce(seen.data(), all.data(), kNumbers, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(all, std::vector<int>(kNumbers, 1));
}

TEST_P(SharedPointerCalls, AWriterDoesNotWaitForTheKeeperOfThePointer) {
  TUTTI_OK(view_of_ints());
  if (rank_ == 0) {
    // Computes, without any call of MPI, until the others are done.
    const auto since = std::chrono::steady_clock::now();
    const auto enough = static_cast<std::size_t>(20 * 4 * (ranks_ - 1));
    while (file_.content().size() < enough) {
      ASSERT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(20));
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } else {
    for (int i = 0; i < 20; ++i)
      TUTTI_OK(MPI_File_write_shared(handle_, &i, 1, MPI_INT, MPI_STATUS_IGNORE));
  }
  expect_position(20 * (ranks_ - 1));
}

TEST_P(SharedPointerCalls, NewViewsAndSeeksNeedNoOtherMeeting) {
  constexpr int kRounds = 40;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 2 == 0) {
      TUTTI_OK(view_of_ints(static_cast<MPI_Offset>(sizeof(int)) * round * ranks_));
    } else {
      TUTTI_OK(MPI_File_seek_shared(handle_, ranks_, MPI_SEEK_SET));
    }
    const int number = 100 * round + rank_;
    TUTTI_OK(MPI_File_write_shared(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  }
  std::vector<int> found = numbers_in_file();
  ASSERT_EQ(found.size(), static_cast<std::size_t>(kRounds * ranks_));
  for (int round = 0; round < kRounds; ++round) {
    const auto begin = found.begin() + static_cast<std::ptrdiff_t>(round) * ranks_;
    std::sort(begin, begin + ranks_);
    for (int r = 0; r < ranks_; ++r) EXPECT_EQ(begin[r], 100 * round + r);
  }
}

TEST_P(SharedPointerCalls, SeeksFromTheBeginningThePointerAndTheEnd) {
  const std::vector<int> numbers(20, 1);
  if (rank_ == 0) {
    TUTTI_OK(MPI_File_write_at(handle_, 0, numbers.data(), 20, MPI_INT, MPI_STATUS_IGNORE));
  }
  TUTTI_OK(view_of_ints(8));
  TUTTI_OK(MPI_File_seek_shared(handle_, 5, MPI_SEEK_SET));
  expect_position(5);
  TUTTI_OK(MPI_File_seek_shared(handle_, -2, MPI_SEEK_CUR));
  expect_position(3);
  const int number = 9;
  TUTTI_OK(MPI_File_write_shared(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_seek_shared(handle_, 2, MPI_SEEK_CUR));
  expect_position(5 + ranks_);
  TUTTI_OK(MPI_File_seek_shared(handle_, -1, MPI_SEEK_END));
  expect_position(17);
  TUTTI_OK(MPI_File_seek_shared(handle_, 30, MPI_SEEK_END));
  expect_position(48);

  EXPECT_TRUE(is_error(MPI_File_seek_shared(handle_, -1, MPI_SEEK_SET), MPI_ERR_ARG, file_.path()));
  EXPECT_TRUE(
      is_error(MPI_File_seek_shared(handle_, -49, MPI_SEEK_CUR), MPI_ERR_ARG, file_.path()));
  EXPECT_TRUE(is_error(MPI_File_seek_shared(handle_, 0, 12345), MPI_ERR_ARG, file_.path()));
  if (ranks_ > 1) {
    EXPECT_TRUE(is_error(MPI_File_seek_shared(handle_, rank_, MPI_SEEK_SET), MPI_ERR_NOT_SAME,
                         file_.path()));
    EXPECT_TRUE(is_error(MPI_File_seek_shared(handle_, 0, rank_ == 0 ? MPI_SEEK_SET : MPI_SEEK_CUR),
                         MPI_ERR_NOT_SAME, file_.path()));
  }
  expect_position(48);
  EXPECT_TRUE(is_error(MPI_File_get_position_shared(handle_, nullptr), MPI_ERR_ARG, file_.path()));
}

TEST_P(SharedPointerCalls, CountsEtypesOfAViewWithHoles) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  const OwnedType every_other(type);
  TUTTI_OK(view_of_ints(4, every_other.get()));
  const int numbers[2] = {rank_, rank_};
  TUTTI_OK(MPI_File_write_ordered(handle_, numbers, 2, MPI_INT, MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_write_shared(handle_, numbers, 2, MPI_INT, MPI_STATUS_IGNORE));
  expect_position(4 * ranks_);
  const std::vector<int> found = numbers_in_file();
  // Displacement 1 int; tiles of 3 ints, of which the first and the last belong to the view.
  for (int r = 0; r < ranks_; ++r) {
    EXPECT_EQ(found[static_cast<std::size_t>(1 + 3 * r)], r);
    EXPECT_EQ(found[static_cast<std::size_t>(3 + 3 * r)], r);
  }
  EXPECT_EQ(found.size(), static_cast<std::size_t>(1 + 3 * 2 * ranks_));
}

TEST_P(SharedPointerCalls, SequentialFilesHaveNothingElse) {
  open(MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
  const int number = 100 + rank_;
  TUTTI_OK(MPI_File_write_ordered(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  TUTTI_OK(view_of_ints(MPI_DISPLACEMENT_CURRENT));
  MPI_Offset displacement = -1;
  MPI_Datatype etype = MPI_DATATYPE_NULL;
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  char datarep[MPI_MAX_DATAREP_STRING] = {};
  TUTTI_OK(MPI_File_get_view(handle_, &displacement, &etype, &filetype, datarep));
  EXPECT_EQ(displacement, 4 * ranks_);
  TUTTI_OK(MPI_File_write_shared(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  std::vector<int> found = numbers_in_file();
  ASSERT_EQ(found.size(), static_cast<std::size_t>(2 * ranks_));
  std::sort(found.begin() + ranks_, found.end());
  for (int i = 0; i < 2 * ranks_; ++i)
    EXPECT_EQ(found[static_cast<std::size_t>(i)], 100 + i % ranks_);

  const auto refused = [&](int code) {
    EXPECT_TRUE(is_error(code, MPI_ERR_UNSUPPORTED_OPERATION, file_.path()));
  };
  MPI_Offset at = 0;
  refused(MPI_File_write(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  refused(MPI_File_write_at_all(handle_, 0, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  refused(MPI_File_seek(handle_, 0, MPI_SEEK_SET));
  refused(MPI_File_seek_shared(handle_, 0, MPI_SEEK_SET));
  refused(MPI_File_get_position_shared(handle_, &at));
  EXPECT_TRUE(is_error(view_of_ints(0), MPI_ERR_ARG, file_.path()));
}

TEST_P(SharedPointerCalls, AppendingStartsAtTheEnd) {
  file_.fill("0123456789");
  open(MPI_MODE_WRONLY | MPI_MODE_APPEND);
  expect_position(10);
  const char letter = static_cast<char>('a' + rank_);
  TUTTI_OK(MPI_File_write_ordered(handle_, &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  close();
  EXPECT_EQ(file_.content(),
            "0123456789" + std::string("abcd").substr(0, static_cast<std::size_t>(ranks_)));
}

TEST_P(SharedPointerCalls, EveryOpenHasAPointerOfItsOwn) {
  MPI_File second = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, file_.c_str(), MPI_MODE_RDWR, hints_.get(), &second));
  const int number = rank_;
  TUTTI_OK(MPI_File_write_shared(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Offset at = -1;
  TUTTI_OK(MPI_File_get_position_shared(second, &at));
  EXPECT_EQ(at, 0);
  expect_position(4 * ranks_);
  MPI_File_close(&second);
}

TEST_P(SharedPointerCalls, ModesAreChecked) {
  int number = 0;
  open(MPI_MODE_RDONLY);
  EXPECT_TRUE(is_error(MPI_File_write_shared(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE),
                       MPI_ERR_READ_ONLY, file_.path()));
  EXPECT_TRUE(is_error(MPI_File_write_ordered(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE),
                       MPI_ERR_READ_ONLY, file_.path()));
  open(MPI_MODE_WRONLY);
  EXPECT_TRUE(is_error(MPI_File_read_shared(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE),
                       MPI_ERR_ACCESS, file_.path()));
}

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_P(SharedPointerCalls, ClosingLeavesNothingBehind) {
  std::size_t before = 0;
  for (int i = 0; i < 5; ++i) {
    open(MPI_MODE_RDWR);
    const int number = rank_;
    TUTTI_OK(MPI_File_write_shared(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    close();
    if (i == 0) before = open_descriptors();
  }
  EXPECT_EQ(open_descriptors(), before);
}

#if MPI_VERSION >= 4
TEST_P(SharedPointerCalls, LargeCounts) {
  TUTTI_OK(view_of_ints());
  const int number = rank_;
  int back = -1;
  TUTTI_OK(MPI_File_write_ordered_c(handle_, &number, MPI_Count{1}, MPI_INT, MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_write_ordered_begin_c(handle_, &number, MPI_Count{1}, MPI_INT));
  TUTTI_OK(MPI_File_write_ordered_end(handle_, &number, MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_write_shared_c(handle_, &number, MPI_Count{1}, MPI_INT, MPI_STATUS_IGNORE));
  expect_position(3 * ranks_);
  TUTTI_OK(MPI_File_seek_shared(handle_, 0, MPI_SEEK_SET));
  TUTTI_OK(MPI_File_read_ordered_c(handle_, &back, MPI_Count{1}, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(back, rank_);
  back = -1;
  TUTTI_OK(MPI_File_read_ordered_begin_c(handle_, &back, MPI_Count{1}, MPI_INT));
  TUTTI_OK(MPI_File_read_ordered_end(handle_, &back, MPI_STATUS_IGNORE));
  EXPECT_EQ(back, rank_);
  TUTTI_OK(MPI_File_read_shared_c(handle_, &back, MPI_Count{1}, MPI_INT, MPI_STATUS_IGNORE));
  expect_position(3 * ranks_);
}
#endif

INSTANTIATE_TEST_SUITE_P(Transports, SharedPointerCalls, testing::Values("auto", "messages"));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
