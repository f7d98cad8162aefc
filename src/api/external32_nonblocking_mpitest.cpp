// ranks: 1 2 4
// Nonblocking access to views in external32 goes on beside the program, as any other does.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/representation_file.hpp"

namespace tutti {
namespace {

using test::class_of;
using test::SharedFile;
using test::world_rank;
using test::world_size;

std::vector<int> numbers(int first, int count) {
  std::vector<int> made;
  for (int i = 0; i < count; ++i) made.push_back((first + i) * 65'599);
  return made;
}

class External32Nonblocking : public testing::Test {
 protected:
  void open(const std::string& prefix) {
    TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, (prefix + file_.path()).c_str(),
                           MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &handle_));
    OwnedType column;  // every rank's ints in turn
    MPI_Type_create_resized(MPI_INT, 0, 4 * static_cast<MPI_Aint>(world_size()), column.fill());
    MPI_Datatype made = column.get();
    MPI_Type_commit(&made);
    TUTTI_OK(MPI_File_set_view(handle_, 4 * world_rank(), MPI_INT, column.get(), "external32",
                               MPI_INFO_NULL));
  }
  void TearDown() override {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
  }
  int counter(const std::string& name) {
    OwnedInfo info;
    MPI_File_get_info(handle_, info.fill());
    char value[64] = "-1";
    int found = 0;
    MPI_Info_get(info.get(), ("tutti_stat_" + name).c_str(), sizeof value - 1, value, &found);
    return std::atoi(value);
  }

  SharedFile file_{"external32_nonblocking"};
  MPI_File handle_ = MPI_FILE_NULL;
};

TEST_F(External32Nonblocking, CallsReturnWhileStorageWorks) {
  constexpr auto kDelay = std::chrono::milliseconds(300);
  open("faulty:delay-us=300000:");
  for (const bool together : {true, false}) {
    // Storage takes its time for each piece of what a rank writes alone.
    const int count = together ? 50 : 2;
    const std::vector<int> data = numbers(1000 * world_rank(), count);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Barrier(MPI_COMM_WORLD);
    const auto began = std::chrono::steady_clock::now();
    TUTTI_OK((together ? MPI_File_iwrite_at_all : MPI_File_iwrite_at)(handle_, 0, data.data(),
                                                                      count, MPI_INT, &request));
    int flag = 1;
    TUTTI_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
    if (std::chrono::steady_clock::now() - began < kDelay) {
      EXPECT_EQ(flag, 0) << (together ? "together" : "alone");
    }
    TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));  // null if the test has completed it
  }
  EXPECT_EQ(counter("nonblocking_calls"), 1);
  EXPECT_EQ(counter("nonblocking_shared"), 1);
}

// Counters are looked at meanwhile, from this thread while others count.
TEST_F(External32Nonblocking, ManyOutstandingAccessesInTheOrderOfTheirCalls) {
  open("");
  constexpr int kCount = 500;
  constexpr int kCalls = 20;
  std::vector<std::vector<int>> written;
  std::vector<std::vector<int>> got(kCalls, std::vector<int>(kCount, -1));
  std::vector<MPI_Request> requests(2 * kCalls);
  for (int i = 0; i < kCalls; ++i) written.push_back(numbers(i * 77 + world_rank(), kCount));
  int seen = 0;
  for (int i = 0; i < kCalls; ++i) {
    const auto k = static_cast<std::size_t>(i);
    // All at the same place: each read finds the write before it.
    TUTTI_OK(
        MPI_File_iwrite_at_all(handle_, 3, written[k].data(), kCount, MPI_INT, &requests[2 * k]));
    TUTTI_OK(
        MPI_File_iread_at_all(handle_, 3, got[k].data(), kCount, MPI_INT, &requests[2 * k + 1]));
    const int now = counter("collective_calls");
    EXPECT_GE(now, seen);
    seen = now;
  }
  std::vector<MPI_Status> statuses(requests.size());
  TUTTI_OK(MPI_Waitall(2 * kCalls, requests.data(), statuses.data()));
  for (const MPI_Status& status : statuses) {
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, kCount);
  }
  for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], written[i]) << i;
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string content = file_.content();
  for (int i = 0; i < kCount; ++i) {
    const auto at = static_cast<std::size_t>(4 * ((i + 3) * world_size() + world_rank()));
    ASSERT_LE(at + 4, content.size());
    std::uint32_t stored = 0;
    for (std::size_t b = 0; b < 4; ++b)
      stored = stored << 8 | static_cast<unsigned char>(content[at + b]);
    ASSERT_EQ(static_cast<int>(stored), written.back()[static_cast<std::size_t>(i)]) << i;
  }
}

// The pointer stands behind what was there, also where a read met the end of the file.
TEST_F(External32Nonblocking, SplitCallsReturnWhileStorageWorks) {
  constexpr auto kDelay = std::chrono::milliseconds(200);
  open("faulty:delay-us=200000:");
  const std::vector<int> data = numbers(1000 * world_rank(), 50);
  const auto began = std::chrono::steady_clock::now();
  TUTTI_OK(MPI_File_write_all_begin(handle_, data.data(), 50, MPI_INT));
  EXPECT_LT(std::chrono::steady_clock::now() - began, kDelay);
  TUTTI_OK(MPI_File_write_all_end(handle_, data.data(), MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_seek(handle_, 10, MPI_SEEK_SET));
  std::vector<int> found(60, -1);
  MPI_Status status;
  TUTTI_OK(MPI_File_read_all_begin(handle_, found.data(), 60, MPI_INT));
  TUTTI_OK(MPI_File_read_all_end(handle_, found.data(), &status));
  int count = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  EXPECT_EQ(count, 40);
  EXPECT_EQ(std::vector<int>(found.begin(), found.begin() + 40),
            std::vector<int>(data.begin() + 10, data.end()));
  MPI_Offset place = 0;
  TUTTI_OK(MPI_File_get_position(handle_, &place));
  EXPECT_EQ(place, 50);
}

TEST_F(External32Nonblocking, ErrorsComeWhenTheRequestCompletes) {
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &handle_));
  TUTTI_OK(MPI_File_set_view(handle_, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  const std::vector<int> data = numbers(0, 100);
  for (const bool together : {true, false}) {
    MPI_Request request = MPI_REQUEST_NULL;
    TUTTI_OK((together ? MPI_File_iwrite_at_all : MPI_File_iwrite_at)(
        handle_, 100 * world_rank(), data.data(), 100, MPI_INT, &request));
    EXPECT_EQ(class_of(MPI_Wait(&request, MPI_STATUS_IGNORE)), MPI_ERR_NO_SPACE);
  }
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
