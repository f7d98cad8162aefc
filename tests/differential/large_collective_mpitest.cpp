// ranks: 2 3
// More than 2^31 elements in one collective call: in the count, in the file and in memory.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "support/mpi_main.hpp"

namespace tutti::test {
namespace {

constexpr std::int64_t kCellBytes = 1 << 20;
constexpr std::int64_t kCells = 2049;    // of rank 0: one cell more than 2^31 bytes
constexpr std::int64_t kSmallCells = 3;  // of the others
constexpr std::int64_t kFar = std::int64_t{5} << 32;

// Memory that takes room only where it is written.
class SparseMemory {
 public:
  explicit SparseMemory(std::int64_t bytes)
      : bytes_(static_cast<std::size_t>(bytes)),
        data_(static_cast<char*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {}
  ~SparseMemory() { munmap(data_, bytes_); }
  SparseMemory(const SparseMemory&) = delete;
  SparseMemory& operator=(const SparseMemory&) = delete;
  char& operator[](std::int64_t i) { return data_[i]; }
  char* data() { return data_; }

 private:
  std::size_t bytes_;
  char* data_;
};

std::int64_t cells_of(int rank) { return rank == 0 ? kCells : kSmallCells; }

// A few bytes in every cell, and all around the places where 32 bits end.
template <class Visit>
void for_each_mark(std::int64_t bytes, const Visit& visit) {
  for (std::int64_t cell = 0; cell < bytes; cell += 64 * kCellBytes) {
    visit(cell);
    visit(cell + kCellBytes - 1);
  }
  for (const std::int64_t edge : {std::int64_t{1} << 31, (std::int64_t{1} << 31) - kCellBytes})
    for (std::int64_t at = edge - 70; at < edge + 70; ++at)
      if (at < bytes) visit(at);
  visit(bytes - 1);
}

char mark(int rank, std::int64_t at) { return static_cast<char>(1 + (at * 7 + rank * 31) % 101); }

class LargeCount : public ::testing::Test {
 protected:
  // Cells are dealt out in turn, in a file that begins far beyond what 32 bits reach.
  void SetUp() override {
    std::int64_t id = getpid();
    MPI_Bcast(&id, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    name_ = "/dev/shm/tutti-large-count-" + std::to_string(id);
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, name_.c_str(),
                            MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                            MPI_INFO_NULL, &file_),
              MPI_SUCCESS);
    MPI_Type_contiguous(static_cast<int>(kCellBytes), MPI_BYTE, &cell_);
    MPI_Type_commit(&cell_);
    MPI_Datatype tile = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(cell_, 0, kCellBytes * world_size(), &tile);
    MPI_Type_commit(&tile);
    ASSERT_EQ(MPI_File_set_view(file_, kFar + world_rank() * kCellBytes, MPI_BYTE, tile, "native",
                                MPI_INFO_NULL),
              MPI_SUCCESS);
    MPI_Type_free(&tile);
  }
  void TearDown() override {
    MPI_Type_free(&cell_);
    EXPECT_EQ(MPI_File_close(&file_), MPI_SUCCESS);
  }

  static void check_status(MPI_Status& status, std::int64_t bytes) {
    MPI_Count elements = 0;
    MPI_Get_elements_x(&status, MPI_BYTE, &elements);
    EXPECT_EQ(elements, bytes);
  }

  // Calls transfer(data, bytes, &status), first to write, then to read back.
  template <class Write, class Read>
  void check(const Write& write, const Read& read) {
    const std::int64_t bytes = cells_of(world_rank()) * kCellBytes;
    MPI_Status status;
    {
      SparseMemory memory(bytes);
      for_each_mark(bytes, [&](std::int64_t at) { memory[at] = mark(world_rank(), at); });
      ASSERT_EQ(write(memory.data(), bytes, &status), MPI_SUCCESS);
      check_status(status, bytes);
    }
    MPI_Offset size = 0;
    MPI_File_get_size(file_, &size);
    EXPECT_EQ(size, kFar + ((kCells - 1) * world_size() + 1) * kCellBytes);
    SparseMemory back(bytes);
    ASSERT_EQ(read(back.data(), bytes, &status), MPI_SUCCESS);
    check_status(status, bytes);
    std::int64_t wrong = 0;
    for_each_mark(bytes, [&](std::int64_t at) { wrong += back[at] != mark(world_rank(), at); });
    EXPECT_EQ(wrong, 0);
    for (std::int64_t at = 4096; at + 70 < kCellBytes; at += 4096) wrong += back[at] != 0;
    EXPECT_EQ(wrong, 0);
  }

  std::string name_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Datatype cell_ = MPI_DATATYPE_NULL;
};

TEST_F(LargeCount, LargeTypes) {
  check(
      [&](void* data, std::int64_t bytes, MPI_Status* status) {
        return MPI_File_write_at_all(file_, 0, data, static_cast<int>(bytes / kCellBytes), cell_,
                                     status);
      },
      [&](void* data, std::int64_t bytes, MPI_Status* status) {
        return MPI_File_read_at_all(file_, 0, data, static_cast<int>(bytes / kCellBytes), cell_,
                                    status);
      });
}

#if defined(TUTTI_HOST_MPICH)
TEST_F(LargeCount, LargeCounts) {
  check(
      [&](void* data, std::int64_t bytes, MPI_Status* status) {
        return MPI_File_write_at_all_c(file_, 0, data, bytes, MPI_BYTE, status);
      },
      [&](void* data, std::int64_t bytes, MPI_Status* status) {
        return MPI_File_read_at_all_c(file_, 0, data, bytes, MPI_BYTE, status);
      });
}
#endif

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
