// Data access: pointers, ends of files, status counts, split collectives, and bad input.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::class_of;
using test::is_error;
using test::SharedFile;

class FileData : public testing::Test {
 protected:
  void SetUp() override { open(MPI_MODE_CREATE | MPI_MODE_RDWR); }
  void TearDown() override {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
  }
  void open(int amode) {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, file_.c_str(), amode, MPI_INFO_NULL, &handle_),
              MPI_SUCCESS);
  }
  MPI_Offset position() {
    MPI_Offset at = -1;
    EXPECT_EQ(MPI_File_get_position(handle_, &at), MPI_SUCCESS);
    return at;
  }
  static int count(const MPI_Status& status, MPI_Datatype type) {
    int counted = -1;
    MPI_Get_count(&status, type, &counted);
    return counted;
  }
  static int elements(const MPI_Status& status, MPI_Datatype type) {
    int counted = -1;
    MPI_Get_elements(&status, type, &counted);
    return counted;
  }

  SharedFile file_{"data"};
  MPI_File handle_ = MPI_FILE_NULL;
};

OwnedType vector_of(int pieces, int length, int stride, MPI_Datatype old) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(pieces, length, stride, old, &type);
  MPI_Type_commit(&type);
  return OwnedType(type);
}

TEST_F(FileData, PointersMoveByWhatMoved) {
  if (test::world_size() > 1) return;
  TUTTI_OK(MPI_File_set_view(handle_, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  const int numbers[5] = {1, 2, 3, 4, 5};
  TUTTI_OK(MPI_File_write(handle_, numbers, 5, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(position(), 5);
  TUTTI_OK(MPI_File_write_at(handle_, 1, numbers, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(position(), 5) << "explicit offsets leave the pointer alone";
  TUTTI_OK(MPI_File_seek(handle_, 3, MPI_SEEK_SET));
  int read[5] = {};
  MPI_Status status;
  TUTTI_OK(MPI_File_read(handle_, read, 5, MPI_INT, &status));
  EXPECT_EQ(count(status, MPI_INT), 2);
  EXPECT_EQ(position(), 5);
  EXPECT_EQ(read[0], 4);
  EXPECT_EQ(read[1], 5);
  EXPECT_EQ(read[2], 0);
  TUTTI_OK(MPI_File_read(handle_, read, 5, MPI_INT, &status));
  EXPECT_EQ(count(status, MPI_INT), 0);
  EXPECT_EQ(position(), 5);
  TUTTI_OK(MPI_File_set_size(handle_, 18));
  TUTTI_OK(MPI_File_seek(handle_, 3, MPI_SEEK_SET));
  TUTTI_OK(MPI_File_read(handle_, read, 5, MPI_INT, &status));
  EXPECT_EQ(count(status, MPI_BYTE), 6);
  EXPECT_EQ(count(status, MPI_INT), MPI_UNDEFINED);
  EXPECT_EQ(position(), 4) << "an etype that is not there as a whole does not count";
}

TEST_F(FileData, StatusCountsWholeTypesAndElements) {
  if (test::world_size() > 1) return;
  const OwnedType pieces = vector_of(3, 1, 2, MPI_INT);
  std::vector<int> memory(20, 7);
  MPI_Status status;
  TUTTI_OK(MPI_File_write_at(handle_, 0, memory.data(), 3, pieces.get(), &status));
  EXPECT_EQ(count(status, pieces.get()), 3);
  EXPECT_EQ(elements(status, pieces.get()), 9);
  int cancelled = 1;
  MPI_Test_cancelled(&status, &cancelled);
  EXPECT_EQ(cancelled, 0);
  TUTTI_OK(MPI_File_set_size(handle_, 5 * 4));
  TUTTI_OK(MPI_File_read_at(handle_, 0, memory.data(), 3, pieces.get(), &status));
  EXPECT_EQ(elements(status, pieces.get()), 5);
  EXPECT_EQ(count(status, pieces.get()), MPI_UNDEFINED);
  TUTTI_OK(MPI_File_read_at(handle_, 0, memory.data(), 0, pieces.get(), &status));
  EXPECT_EQ(count(status, pieces.get()), 0);
  TUTTI_OK(MPI_File_read_at(handle_, 0, nullptr, 0, MPI_INT, MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_write_at(handle_, 0, nullptr, 0, MPI_INT, &status));
  EXPECT_EQ(count(status, MPI_INT), 0);
}

TEST_F(FileData, ATypeWithAddressesNeedsNoBuffer) {
  if (test::world_size() > 1) return;
  int number = 42;
  MPI_Aint address = 0;
  MPI_Get_address(&number, &address);
  const int one = 1;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(1, &one, &address, MPI_INT, &type);
  MPI_Type_commit(&type);
  const OwnedType absolute(type);
  TUTTI_OK(MPI_File_write_at(handle_, 0, MPI_BOTTOM, 1, type, MPI_STATUS_IGNORE));
  number = 0;
  TUTTI_OK(MPI_File_read_at(handle_, 0, MPI_BOTTOM, 1, type, MPI_STATUS_IGNORE));
  EXPECT_EQ(number, 42);
}

TEST_F(FileData, BadArgumentsAreRefusedAndNothingIsWritten) {
  int number = 1;
  MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &uncommitted);
  const auto both = [&](int error_class, MPI_Offset offset, void* buffer, int count,
                        MPI_Datatype type) {
    const std::string& name = file_.path();
    EXPECT_TRUE(is_error(MPI_File_write_at(handle_, offset, buffer, count, type, nullptr),
                         error_class, name));
    EXPECT_TRUE(is_error(MPI_File_read_at(handle_, offset, buffer, count, type, nullptr),
                         error_class, name));
    EXPECT_TRUE(is_error(MPI_File_write_at_all(handle_, offset, buffer, count, type, nullptr),
                         error_class, name));
    EXPECT_TRUE(is_error(MPI_File_read_at_all(handle_, offset, buffer, count, type, nullptr),
                         error_class, name));
  };
  both(MPI_ERR_COUNT, 0, &number, -1, MPI_INT);
  both(MPI_ERR_TYPE, 0, &number, 1, MPI_DATATYPE_NULL);
  both(MPI_ERR_TYPE, 0, &number, 1, uncommitted);
  both(MPI_ERR_ARG, -1, &number, 1, MPI_INT);
  both(MPI_ERR_ARG, 0x7fff'ffff'ffff'ffff, &number, 1, MPI_INT);
  both(MPI_ERR_BUFFER, 0, nullptr, 1, MPI_INT);
  MPI_Type_free(&uncommitted);
  TUTTI_OK(MPI_File_set_view(handle_, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  both(MPI_ERR_IO, 0, &number, 1, MPI_SHORT);
  both(MPI_ERR_IO, 0, &number, 3, MPI_CHAR);
  EXPECT_EQ(position(), 0);
  EXPECT_TRUE(is_error(MPI_File_write(handle_, &number, -1, MPI_INT, nullptr), MPI_ERR_COUNT,
                       file_.path()));
  EXPECT_EQ(position(), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(file_.content().empty());
}

TEST_F(FileData, OneRanksBadArgumentFailsTheCollectiveForAll) {
  const int rank = test::world_rank();
  const bool last = rank == test::world_size() - 1;
  const int number = rank;
  EXPECT_TRUE(
      is_error(MPI_File_write_at_all(handle_, 4 * rank, &number, last ? -1 : 1, MPI_INT, nullptr),
               MPI_ERR_COUNT, file_.path()));
  EXPECT_TRUE(
      is_error(MPI_File_write_all(handle_, &number, 1, last ? MPI_DATATYPE_NULL : MPI_INT, nullptr),
               MPI_ERR_TYPE, file_.path()));
  EXPECT_EQ(position(), 0);
  TUTTI_OK(MPI_File_write_at_all(handle_, 4 * rank, &number, 1, MPI_INT, nullptr));
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(file_.content().size(), static_cast<std::size_t>(4 * test::world_size()));
}

TEST_F(FileData, TheAccessModeIsKept) {
  file_.fill("content");
  char bytes[4] = {'a', 'b', 'c', 'd'};
  open(MPI_MODE_WRONLY);
  EXPECT_TRUE(
      is_error(MPI_File_read(handle_, bytes, 4, MPI_CHAR, nullptr), MPI_ERR_ACCESS, file_.path()));
  EXPECT_TRUE(is_error(MPI_File_read_at_all(handle_, 0, bytes, 4, MPI_CHAR, nullptr),
                       MPI_ERR_ACCESS, file_.path()));
  open(MPI_MODE_RDONLY);
  EXPECT_TRUE(is_error(MPI_File_write(handle_, bytes, 4, MPI_CHAR, nullptr), MPI_ERR_READ_ONLY,
                       file_.path()));
  EXPECT_TRUE(is_error(MPI_File_write_all(handle_, bytes, 4, MPI_CHAR, nullptr), MPI_ERR_READ_ONLY,
                       file_.path()));
  EXPECT_EQ(std::string(bytes, 4), "abcd");
  EXPECT_EQ(file_.content(), "content");
}

TEST_F(FileData, SplitCollectivesComeInPairs) {
  const int rank = test::world_rank();
  const int ranks = test::world_size();
  const std::string mine(3, static_cast<char>('a' + rank));
  char ignored = 0;
  MPI_Status status;
  EXPECT_TRUE(
      is_error(MPI_File_write_all_end(handle_, &ignored, &status), MPI_ERR_IO, file_.path()));
  TUTTI_OK(MPI_File_write_at_all_begin(handle_, 3 * rank, mine.data(), 3, MPI_CHAR));
  EXPECT_TRUE(is_error(MPI_File_write_at_all_begin(handle_, 0, mine.data(), 3, MPI_CHAR),
                       MPI_ERR_IO, file_.path()));
  EXPECT_TRUE(is_error(MPI_File_read_at_all(handle_, 0, &ignored, 1, MPI_CHAR, &status), MPI_ERR_IO,
                       file_.path()));
  EXPECT_TRUE(
      is_error(MPI_File_read_at_all_end(handle_, &ignored, &status), MPI_ERR_IO, file_.path()))
      << "the wrong end";
  TUTTI_OK(MPI_File_write_at_all_end(handle_, mine.data(), &status));
  EXPECT_EQ(count(status, MPI_CHAR), 3);
  EXPECT_TRUE(
      is_error(MPI_File_write_at_all_end(handle_, mine.data(), &status), MPI_ERR_IO, file_.path()));

  MPI_Barrier(MPI_COMM_WORLD);
  TUTTI_OK(MPI_File_seek(handle_, 3 * ((rank + 1) % ranks) + 1, MPI_SEEK_SET));
  std::string read(2, '-');
  TUTTI_OK(MPI_File_read_all_begin(handle_, read.data(), 2, MPI_CHAR));
  EXPECT_EQ(position(), 3 * ((rank + 1) % ranks) + 3);
  TUTTI_OK(MPI_File_read_all_end(handle_, read.data(), &status));
  EXPECT_EQ(count(status, MPI_CHAR), 2);
  EXPECT_EQ(read, std::string(2, static_cast<char>('a' + (rank + 1) % ranks)));

  TUTTI_OK(MPI_File_read_all_begin(handle_, read.data(), 1, MPI_CHAR));
  EXPECT_TRUE(is_error(MPI_File_close(&handle_), MPI_ERR_ARG, file_.path()))
      << "closed, but the mistake is told";
  EXPECT_EQ(handle_, MPI_FILE_NULL);
}

TEST_F(FileData, RanksFindWhatTheyHaveJustWrittenThemselves) {
  const int rank = test::world_rank();
  const int last = test::world_size() - 1;
  const std::string mine(5, static_cast<char>('a' + rank));
  // The others have looked at the file long before the last rank makes it longer.
  if (rank == last) {
    usleep(50'000);
    TUTTI_OK(MPI_File_write_at(handle_, 5 * rank, mine.data(), 5, MPI_CHAR, MPI_STATUS_IGNORE));
  }
  std::string read(5, '-');
  TUTTI_OK(MPI_File_read_at_all(handle_, 5 * rank, read.data(), 5, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT_EQ(read, rank == last ? mine : read);
}

TEST_F(FileData, AtomicModeKeepsConcurrentWritesWhole) {
  TUTTI_OK(MPI_File_set_atomicity(handle_, 1));
  constexpr int kPieces = 64;
  constexpr int kPiece = 512;
  // Noncontiguous in the file: torn unless the whole span is locked.
  const OwnedType pieces = vector_of(kPieces, kPiece, 2 * kPiece, MPI_CHAR);
  TUTTI_OK(MPI_File_set_view(handle_, 0, MPI_CHAR, pieces.get(), "native", MPI_INFO_NULL));
  const std::string mine(kPieces * kPiece, static_cast<char>('a' + test::world_rank()));
  std::string seen(mine.size(), '-');
  for (int round = 0; round < 20; ++round) {
    TUTTI_OK(MPI_File_write_at(handle_, 0, mine.data(), kPieces * kPiece, MPI_CHAR, nullptr));
    TUTTI_OK(MPI_File_read_at(handle_, 0, seen.data(), kPieces * kPiece, MPI_CHAR, nullptr));
    EXPECT_EQ(seen.find_first_not_of(seen[0]), std::string::npos) << "a torn read";
  }
}

TEST(FileDataDevices, DevFullIsAFullDisk) {
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &handle));
  std::vector<char> data(100'000, 'x');
  const int size = static_cast<int>(data.size());
  EXPECT_TRUE(is_error(MPI_File_write_at(handle, 0, data.data(), size, MPI_CHAR, nullptr),
                       MPI_ERR_NO_SPACE, "/dev/full"));
  EXPECT_TRUE(is_error(MPI_File_write(handle, data.data(), 1, MPI_CHAR, nullptr), MPI_ERR_NO_SPACE,
                       "/dev/full"));
  EXPECT_TRUE(is_error(MPI_File_write_all(handle, data.data(), size, MPI_CHAR, nullptr),
                       MPI_ERR_NO_SPACE, "/dev/full"));
  MPI_Offset position = -1;
  TUTTI_OK(MPI_File_get_position(handle, &position));
  EXPECT_EQ(position, 0);
  TUTTI_OK(MPI_File_close(&handle));
}

// A file system of one megabyte. Root only; nobody else may mount.
TEST(FileDataDevices, ASmallFileSystemFillsUp) {
  if (::geteuid() != 0) GTEST_SKIP() << "mounting needs root";
  const SharedFile base("mount", "/tmp");
  const std::string folder = base.path() + ".d";
  int mounted = 0;
  if (test::world_rank() == 0) {
    ::mkdir(folder.c_str(), 0700);
    mounted = ::mount("tutti", folder.c_str(), "tmpfs", 0, "size=1m") == 0 ? 1 : 0;
  }
  MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (mounted != 0) {
    const std::string path = folder + "/file";
    MPI_File handle = MPI_FILE_NULL;
    EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                            MPI_INFO_NULL, &handle),
              MPI_SUCCESS);
    std::vector<char> data(3 << 20, 'x');
    const int size = static_cast<int>(data.size());
    const MPI_Offset at = MPI_Offset{test::world_rank()} * size;
    EXPECT_TRUE(is_error(MPI_File_write_at_all(handle, at, data.data(), size, MPI_CHAR, nullptr),
                         MPI_ERR_NO_SPACE, path));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_TRUE(is_error(MPI_File_preallocate(handle, 64 << 20), MPI_ERR_NO_SPACE, path));
    EXPECT_TRUE(is_error(MPI_File_write_at(handle, at, data.data(), size, MPI_CHAR, nullptr),
                         MPI_ERR_NO_SPACE, path));
    MPI_File_close(&handle);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (test::world_rank() == 0) {
    if (mounted != 0) ::umount(folder.c_str());
    ::rmdir(folder.c_str());
  }
  if (mounted == 0) GTEST_SKIP() << "mounting is not allowed here";
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
