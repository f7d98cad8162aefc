// Who sees whose bytes when: after sync, barrier, sync; at once in atomic mode; always one's own.
// ranks: 2 3 4
#include <gtest/gtest.h>

#include "storage/storage_file.hpp"

namespace tutti::test {
namespace {

constexpr int kBytes = 3000;  // several ranks in every stripe and page
constexpr int kRounds = 12;

class StorageConsistency : public ::testing::Test {
 protected:
  void SetUp() override {
    const Info info({{"striping_unit", "65536"}, {"striping_factor", "3"}});
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, storage_name("consistency").c_str(),
                            MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info.get(),
                            &file_),
              MPI_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(MPI_File_close(&file_), MPI_SUCCESS); }

  void write(std::int64_t at, std::uint64_t call) {
    std::vector<unsigned char> bytes;
    for (int i = 0; i < kBytes; ++i) bytes.push_back(byte_of(call, at + i));
    EXPECT_EQ(MPI_File_write_at(file_, at, bytes.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
  }
  bool reads(std::int64_t at, std::uint64_t call) {
    std::vector<unsigned char> bytes(kBytes, 0xee);
    EXPECT_EQ(MPI_File_read_at(file_, at, bytes.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    for (int i = 0; i < kBytes; ++i)
      if (bytes[static_cast<std::size_t>(i)] != byte_of(call, at + i)) return false;
    return true;
  }
  static std::int64_t place(int rank, int round) {
    return std::int64_t{kBytes} * (round % 3 * world_size() + rank);
  }

  MPI_File file_ = MPI_FILE_NULL;
};

TEST_F(StorageConsistency, SyncBarrierSync) {
  for (int round = 0; round < kRounds; ++round) {
    const auto call = static_cast<std::uint64_t>(round);
    write(place(world_rank(), round), call);
    EXPECT_TRUE(reads(place(world_rank(), round), call)) << "own bytes, round " << round;
    EXPECT_EQ(MPI_File_sync(file_), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(MPI_File_sync(file_), MPI_SUCCESS);
    for (int rank = 0; rank < world_size(); ++rank)
      EXPECT_TRUE(reads(place(rank, round), call))
          << "bytes of rank " << rank << ", round " << round;
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_F(StorageConsistency, AtomicModeShowsBytesAtOnce) {
  ASSERT_EQ(MPI_File_set_atomicity(file_, 1), MPI_SUCCESS);
  EXPECT_EQ(info_value(file_, "romio_visibility_immediate"), "true");
  for (int round = 0; round < kRounds; ++round) {
    const auto call = static_cast<std::uint64_t>(100 + round);
    write(place(world_rank(), round), call);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int rank = 0; rank < world_size(); ++rank)
      EXPECT_TRUE(reads(place(rank, round), call))
          << "bytes of rank " << rank << ", round " << round;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ASSERT_EQ(MPI_File_set_atomicity(file_, 0), MPI_SUCCESS);
  write(place(world_rank(), 0), 777);
  EXPECT_TRUE(reads(place(world_rank(), 0), 777));
}

// A writer's bytes are never mixed with another's: all ranks write the same place.
TEST_F(StorageConsistency, AtomicWritesDoNotMix) {
  ASSERT_EQ(MPI_File_set_atomicity(file_, 1), MPI_SUCCESS);
  for (int round = 0; round < kRounds; ++round) {
    write(0, static_cast<std::uint64_t>(1000 * round + world_rank()));
    MPI_Barrier(MPI_COMM_WORLD);
    int winners = 0;
    for (int rank = 0; rank < world_size(); ++rank)
      winners += reads(0, static_cast<std::uint64_t>(1000 * round + rank)) ? 1 : 0;
    EXPECT_EQ(winners, 1) << "round " << round;
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// What a rank wrote alone is in the owners' collective reads of it, and what owners wrote for it
// is in its own reads, without any sync.
TEST_F(StorageConsistency, OwnBytesAloneAndTogether) {
  for (int round = 0; round < kRounds; ++round) {
    const auto call = static_cast<std::uint64_t>(200 + 2 * round);
    const std::int64_t mine = place(world_rank(), round);
    write(mine, call);
    std::vector<unsigned char> bytes(kBytes, 0xee);
    EXPECT_EQ(MPI_File_read_at_all(file_, mine, bytes.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    for (int i = 0; i < kBytes; ++i)
      ASSERT_EQ(bytes[static_cast<std::size_t>(i)], byte_of(call, mine + i)) << round << " " << i;
    for (int i = 0; i < kBytes; ++i)
      bytes[static_cast<std::size_t>(i)] = byte_of(call + 1, mine + i);
    EXPECT_EQ(MPI_File_write_at_all(file_, mine, bytes.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    EXPECT_TRUE(reads(mine, call + 1)) << "round " << round;
    write(mine, call + 5000);
    EXPECT_TRUE(reads(mine, call + 5000)) << "round " << round;
  }
}

TEST_F(StorageConsistency, SizesAreEverybodys) {
  for (const std::int64_t bytes : {100'000, 7, 200'000}) {
    write(static_cast<std::int64_t>(world_rank()) * kBytes, 3);
    ASSERT_EQ(MPI_File_set_size(file_, bytes), MPI_SUCCESS);
    MPI_Offset size = -1;
    EXPECT_EQ(MPI_File_get_size(file_, &size), MPI_SUCCESS);
    EXPECT_EQ(size, bytes);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
