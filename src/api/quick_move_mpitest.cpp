// ranks: 1 2
// Small contiguous accesses: what they cost, counted, and that the shortest way does what the long
// one does.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <string>

#include "support/call_counts.hpp"
#include "support/shared_file.hpp"

namespace tutti::test {

namespace {

constexpr int kCalls = 1000;
constexpr int kBytes = 300;

class QuickMove : public testing::Test {
 protected:
  void SetUp() override {
    TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                           MPI_INFO_NULL, &file_));
    // The first call of a process makes its table of predefined types.
    TUTTI_OK(MPI_File_read_at(file_, 0, bytes_.data(), 1, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < kBytes; ++i)
      bytes_[static_cast<std::size_t>(i)] = static_cast<char>('a' + i % 26);
  }
  void TearDown() override { TUTTI_OK(MPI_File_close(&file_)); }

  // One system call each and nothing else.
  static void expect_only_transfers(const CallCounts& counts, int calls) {
    EXPECT_EQ(counts.transfers, calls);
    EXPECT_EQ(counts.others, 0);
    EXPECT_EQ(counts.locks, 0);
    EXPECT_EQ(counts.messages, 0);
    if (kCountsAllocations) {
      EXPECT_EQ(counts.allocations, 0);
    }
  }

  MPI_Offset place(int i) const { return (i * 37 % kCalls) * kBytes; }

  SharedFile path_{"quick_move"};
  MPI_File file_ = MPI_FILE_NULL;
  std::array<char, kBytes> bytes_{};
  int failures_ = 0;
};

TEST_F(QuickMove, TheCountersCount) {
  const auto counted = count_calls([] {
    const std::string text(static_cast<std::size_t>(kCalls), 'x');
    EXPECT_EQ(text.back(), 'x');
    int word = 0;
    MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    PMPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
    (void)fcntl(0, F_GETFD, nullptr);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  });
  EXPECT_GE(counted.messages, 1);
  EXPECT_GE(counted.others, 1);
  EXPECT_GE(counted.locks, 1);
  if (kCountsAllocations) {
    EXPECT_GE(counted.allocations, 1);
  }
}

TEST_F(QuickMove, AnExplicitOffsetIsOneSystemCall) {
  MPI_Status status;
  expect_only_transfers(count_calls([&] {
                          for (int i = 0; i < kCalls; ++i)
                            failures_ += MPI_File_write_at(file_, place(i), bytes_.data(), kBytes,
                                                           MPI_BYTE, &status) != MPI_SUCCESS;
                        }),
                        kCalls);
  MPI_Barrier(MPI_COMM_WORLD);
  std::array<char, kBytes> got{};
  expect_only_transfers(count_calls([&] {
                          for (int i = 0; i < kCalls; ++i)
                            failures_ += MPI_File_read_at(file_, place(i), got.data(), kBytes,
                                                          MPI_CHAR, &status) != MPI_SUCCESS ||
                                         got != bytes_;
                        }),
                        kCalls);
  EXPECT_EQ(failures_, 0);
}

TEST_F(QuickMove, TheIndividualPointerIsOneSystemCall) {
  MPI_Offset position = -1;
  expect_only_transfers(count_calls([&] {
                          for (int i = 0; i < kCalls; ++i)
                            failures_ += MPI_File_write(file_, bytes_.data(), kBytes, MPI_BYTE,
                                                        MPI_STATUS_IGNORE) != MPI_SUCCESS;
                        }),
                        kCalls);
  TUTTI_OK(MPI_File_get_position(file_, &position));
  EXPECT_EQ(position, MPI_Offset{kCalls} * kBytes);
  EXPECT_EQ(failures_, 0);
}

// The long way for one run of memory and file: cheap too, but for what the datatype costs.
TEST_F(QuickMove, ADerivedTypeOfOneRunAllocatesNothing) {
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(kBytes, MPI_BYTE, &block);
  MPI_Type_commit(&block);
  TUTTI_OK(MPI_File_write_at(file_, 0, bytes_.data(), 1, block, MPI_STATUS_IGNORE));
  const auto counted = count_calls([&] {
    for (int i = 0; i < kCalls; ++i)
      failures_ += MPI_File_write_at(file_, place(i), bytes_.data(), 1, block, MPI_STATUS_IGNORE) !=
                   MPI_SUCCESS;
  });
  EXPECT_EQ(counted.transfers, kCalls);
  EXPECT_EQ(counted.others, 0);
  if (kCountsAllocations) {
    EXPECT_EQ(counted.allocations, 0);
  }
  EXPECT_EQ(failures_, 0);
  MPI_Type_free(&block);
}

TEST_F(QuickMove, ViewsWithoutHolesCountInEtypes) {
  constexpr MPI_Offset kHeader = 13;
  TUTTI_OK(MPI_File_set_view(file_, kHeader, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  const std::array<int, 3> values = {1, 2, 3};
  const int rank = world_rank();
  const auto counted = count_calls([&] {
    failures_ += MPI_File_write_at(file_, 3 * rank, values.data(), 3, MPI_INT, MPI_STATUS_IGNORE);
    failures_ += MPI_File_seek(file_, 3 * rank, MPI_SEEK_SET);
  });
  expect_only_transfers(counted, 1);
  std::array<int, 3> got{};
  TUTTI_OK(MPI_File_read(file_, got.data(), 3, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(got, values);
  EXPECT_EQ(failures_, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(path_.content().size(),
            kHeader + sizeof values * static_cast<std::size_t>(world_size()));
  // Two bytes are no int.
  EXPECT_EQ(class_of(MPI_File_write_at(file_, 0, bytes_.data(), 2, MPI_BYTE, MPI_STATUS_IGNORE)),
            MPI_ERR_IO);
  MPI_Barrier(MPI_COMM_WORLD);
}

TEST_F(QuickMove, ReadsStopAtTheEndAndThePointerWithThem) {
  path_.fill(std::string(10, 'x'));
  TUTTI_OK(MPI_File_set_view(file_, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  std::array<int, 5> got{};
  MPI_Status status;
  TUTTI_OK(MPI_File_read(file_, got.data(), 5, MPI_INT, &status));
  int count = 0;
  MPI_Get_count(&status, MPI_BYTE, &count);
  EXPECT_EQ(count, 10);
  MPI_Offset position = -1;
  TUTTI_OK(MPI_File_get_position(file_, &position));
  EXPECT_EQ(position, 2);
  TUTTI_OK(MPI_File_read_at(file_, 1000, got.data(), 5, MPI_INT, &status));
  MPI_Get_count(&status, MPI_BYTE, &count);
  EXPECT_EQ(count, 0);
}

TEST_F(QuickMove, WrongCallsAreStillFoundOut) {
  char byte = 'x';
  const auto writes = [&](MPI_Offset offset, void* buffer, int count) {
    return class_of(MPI_File_write_at(file_, offset, buffer, count, MPI_BYTE, MPI_STATUS_IGNORE));
  };
  EXPECT_EQ(writes(-1, &byte, 1), MPI_ERR_ARG);
  EXPECT_EQ(writes(0, &byte, -1), MPI_ERR_COUNT);
  EXPECT_EQ(writes(0, nullptr, 1), MPI_ERR_BUFFER);
  EXPECT_EQ(writes(INT64_MAX, &byte, 1), MPI_ERR_ARG);
  EXPECT_EQ(writes(0, nullptr, 0), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(path_.content().size(), 0U);

  MPI_File reader = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &reader));
  EXPECT_EQ(class_of(MPI_File_write_at(reader, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE)),
            MPI_ERR_READ_ONLY);
  TUTTI_OK(MPI_File_close(&reader));
}

TEST_F(QuickMove, AtomicModeLocks) {
  TUTTI_OK(MPI_File_set_atomicity(file_, 1));
  const auto counted = count_calls([&] {
    failures_ += MPI_File_write_at(file_, 0, bytes_.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE);
  });
  EXPECT_EQ(counted.transfers, 1);
  EXPECT_GE(counted.others, 2);
  EXPECT_EQ(failures_, 0);
}

}  // namespace

}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
