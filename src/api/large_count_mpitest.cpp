// ranks: 1 2
// Accesses beyond 2^31 bytes and elements, with little memory: types whose copies lie on each
// other.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <vector>

#include "mpi/owned.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::SharedFile;

constexpr MPI_Count kGiga = MPI_Count{1} << 30;

OwnedType committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return OwnedType(type);
}

// `copies` times the same `bytes` bytes of memory.
OwnedType folded(int copies, int bytes) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(copies, bytes, 0, MPI_BYTE, &type);
  return committed(type);
}

MPI_Count elements(const MPI_Status& status, MPI_Datatype type) {
  MPI_Count counted = -1;
  MPI_Get_elements_x(&status, type, &counted);
  return counted;
}

TEST(LargeCount, OffsetsBeyondFourGigabytes) {
  const SharedFile file("large_offset");
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, file.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &handle));
  const int rank = test::world_rank();
  TUTTI_OK(MPI_File_set_view(handle, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  const MPI_Offset far = 3 * kGiga + rank;  // in etypes
  const int number = 1000 + rank;
  TUTTI_OK(MPI_File_write_at_all(handle, far, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_seek(handle, far, MPI_SEEK_SET));
  int read = 0;
  TUTTI_OK(MPI_File_read(handle, &read, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(read, number);
  MPI_Offset size = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  TUTTI_OK(MPI_File_get_size(handle, &size));
  EXPECT_EQ(size, 4 * (3 * kGiga + test::world_size()));
  TUTTI_OK(MPI_File_close(&handle));
}

// Reads 6 GiB of a sparse file into 1 MiB of memory.
TEST(LargeCount, ReadsMoreThanFourGigabytesInOneCall) {
  if (test::world_size() > 1) return;
  const SharedFile file("large_read");
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_SELF, file.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &handle));
  constexpr int kMega = 1 << 20;
  constexpr int kCopies = 6 << 10;
  TUTTI_OK(MPI_File_set_size(handle, MPI_Offset{kCopies} * kMega));
  const char mark = 'm';
  TUTTI_OK(MPI_File_write_at(handle, MPI_Offset{kCopies} * kMega - 5, &mark, 1, MPI_CHAR,
                             MPI_STATUS_IGNORE));
  std::vector<char> memory(kMega, 'x');
  const OwnedType type = folded(kCopies, kMega);
  MPI_Status status;
  TUTTI_OK(MPI_File_read_at(handle, 0, memory.data(), 1, type.get(), &status));
  EXPECT_EQ(elements(status, MPI_BYTE), MPI_Count{kCopies} * kMega);
  int whole = 0;
  MPI_Get_count(&status, type.get(), &whole);
  EXPECT_EQ(whole, 1);
  int too_many = 0;
  MPI_Get_count(&status, MPI_BYTE, &too_many);
  EXPECT_EQ(too_many, MPI_UNDEFINED);
  EXPECT_EQ(memory[kMega - 5], 'm') << "the last copy is the last to be stored";
  EXPECT_EQ(memory[kMega - 6], '\0');
  TUTTI_OK(MPI_File_close(&handle));
}

// 2.5 · 10^9 elements of one byte each to one byte of the file and one of memory.
TEST(LargeCount, CountsBeyondTwoToTheThirtyOne) {
  if (test::world_size() > 1) return;
  const SharedFile file("large_count");
  file.fill(std::string(100, '\0'));
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_SELF, file.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &handle));
  MPI_Datatype row = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(50'000, 1, 0, MPI_BYTE, &row);
  MPI_Datatype rows = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(50'000, 1, 0, row, &rows);
  MPI_Type_free(&row);
  const OwnedType huge = committed(rows);
  char byte = 'q';
  MPI_Status status;
  // The end of the file cuts the read down to 100 bytes.
  TUTTI_OK(MPI_File_read_at(handle, 0, &byte, 1, huge.get(), &status));
  EXPECT_EQ(elements(status, huge.get()), 100);
  EXPECT_EQ(byte, '\0');
#if defined(TUTTI_HOST_MPICH)
  MPI_Datatype still = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_BYTE, 0, 0, &still);
  const OwnedType stationary = committed(still);
  TUTTI_OK(MPI_File_read_at_c(handle, 0, &byte, 5 * kGiga, stationary.get(), &status));
  EXPECT_EQ(elements(status, MPI_BYTE), 100);
  TUTTI_OK(MPI_File_read_at_all_c(handle, 10, &byte, 5 * kGiga, stationary.get(), &status));
  EXPECT_EQ(elements(status, MPI_BYTE), 90);
  EXPECT_EQ(
      test::class_of(MPI_File_read_at_c(handle, 0, &byte, MPI_Count{1} << 62, MPI_DOUBLE, &status)),
      MPI_ERR_COUNT);
#endif
  TUTTI_OK(MPI_File_close(&handle));
}

// A view of many gigabytes costs nothing until it is used.
TEST(LargeCount, ViewsOfHugeTypes) {
  const SharedFile file("large_view");
  MPI_File handle = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, file.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &handle));
  MPI_Datatype wide = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(2'000'000'000, 1, 1 << 20, MPI_INT, &wide);
  const OwnedType tile = committed(wide);
  TUTTI_OK(MPI_File_set_view(handle, 0, MPI_INT, tile.get(), "native", MPI_INFO_NULL));
  MPI_Offset where = 0;
  TUTTI_OK(MPI_File_get_byte_offset(handle, 1'999'999'999, &where));
  EXPECT_EQ(where, MPI_Offset{1'999'999'999} << 20);
  const int numbers[3] = {1, 2, 3};
  const MPI_Offset rank = test::world_rank();
  TUTTI_OK(MPI_File_write_at_all(handle, 3 * rank, numbers, 3, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Offset size = 0;
  TUTTI_OK(MPI_File_get_size(handle, &size));
  EXPECT_EQ(size, (MPI_Offset{3} * test::world_size() - 1) * (1 << 20) + 4);
  TUTTI_OK(MPI_File_seek(handle, 0, MPI_SEEK_END));
  MPI_Offset position = 0;
  TUTTI_OK(MPI_File_get_position(handle, &position));
  EXPECT_EQ(position, 3 * test::world_size());
  TUTTI_OK(MPI_File_close(&handle));
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
