// ranks: 1 2 3 4
// Ordered access by the shared file pointer, through memory and through the network.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/shared_pointer_calls.hpp"

namespace tutti {
namespace {

using test::is_error;

class OrderedCalls : public test::SharedPointerCalls {};

TEST_P(OrderedCalls, OrderedWritesLieInTheOrderOfRanks) {
  TUTTI_OK(view_of_ints());
  std::vector<int> expected;
  for (int round = 0; round < 10; ++round) {
    const auto count_of = [&](int r) { return (round + 2 * r) % 4; };  // also nothing
    std::vector<int> mine(static_cast<std::size_t>(count_of(rank_)), 10 * round + rank_);
    for (int r = 0; r < ranks_; ++r)
      expected.insert(expected.end(), static_cast<std::size_t>(count_of(r)), 10 * round + r);
    MPI_Status status;
    if (round % 2 == 0) {
      TUTTI_OK(MPI_File_write_ordered(handle_, mine.data(), count_of(rank_), MPI_INT, &status));
    } else {
      TUTTI_OK(MPI_File_write_ordered_begin(handle_, mine.data(), count_of(rank_), MPI_INT));
      TUTTI_OK(MPI_File_write_ordered_end(handle_, mine.data(), &status));
    }
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, count_of(rank_));
  }
  EXPECT_EQ(numbers_in_file(), expected);
  expect_position(static_cast<MPI_Offset>(expected.size()));

  TUTTI_OK(MPI_File_seek_shared(handle_, 0, MPI_SEEK_SET));
  std::size_t at = 0;
  for (int round = 0; round < 3; ++round) {
    const auto count_of = [&](int r) { return (ranks_ - r) % 3; };
    std::vector<int> mine(static_cast<std::size_t>(count_of(rank_)), -1);
    if (round % 2 == 0) {
      TUTTI_OK(
          MPI_File_read_ordered(handle_, mine.data(), count_of(rank_), MPI_INT, MPI_STATUS_IGNORE));
    } else {
      TUTTI_OK(MPI_File_read_ordered_begin(handle_, mine.data(), count_of(rank_), MPI_INT));
      TUTTI_OK(MPI_File_read_ordered_end(handle_, mine.data(), MPI_STATUS_IGNORE));
    }
    for (int r = 0; r < ranks_; ++r)
      for (int i = 0; i < count_of(r); ++i, ++at)
        if (r == rank_) {
          EXPECT_EQ(mine[static_cast<std::size_t>(i)], expected[at]) << at;
        }
  }
}

TEST_P(OrderedCalls, OrderedAndOtherAccessesShareOnePointer) {
  TUTTI_OK(view_of_ints());
  const int number = 7 + rank_;
  for (int round = 0; round < 5; ++round) {
    TUTTI_OK(MPI_File_write_shared(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Barrier(MPI_COMM_WORLD);
    TUTTI_OK(MPI_File_write_ordered(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  }
  expect_position(10 * ranks_);
  std::vector<int> found = numbers_in_file();
  ASSERT_EQ(found.size(), static_cast<std::size_t>(10 * ranks_));
  for (std::size_t i = 0; i < found.size(); i += static_cast<std::size_t>(ranks_)) {
    const auto begin = found.begin() + static_cast<std::ptrdiff_t>(i);
    if (i / static_cast<std::size_t>(ranks_) % 2 == 0) std::sort(begin, begin + ranks_);
    for (int r = 0; r < ranks_; ++r) EXPECT_EQ(begin[r], 7 + r);
  }
}

TEST_P(OrderedCalls, ARefusalOfOneRankIsEverybodysAndThePointerStays) {
  TUTTI_OK(view_of_ints());
  const int number = rank_;
  const int count = rank_ == ranks_ - 1 ? -1 : 1;
  const int code = MPI_File_write_ordered(handle_, &number, count, MPI_INT, MPI_STATUS_IGNORE);
  EXPECT_TRUE(is_error(code, MPI_ERR_COUNT, file_.path()));
  expect_position(0);
  EXPECT_TRUE(is_error(MPI_File_write_shared(handle_, &number, -1, MPI_INT, MPI_STATUS_IGNORE),
                       MPI_ERR_COUNT, file_.path()));
  expect_position(0);
  TUTTI_OK(MPI_File_write_ordered(handle_, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(numbers_in_file().size(), static_cast<std::size_t>(ranks_));
}

INSTANTIATE_TEST_SUITE_P(Transports, OrderedCalls, testing::Values("auto", "messages"));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
