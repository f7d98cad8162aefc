// ranks: 2
// Thousands of opens and closes, and many small calls on one file: memory, descriptors and
// communicators stay where they were.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstdint>
#include <string>

#include "support/footprint.hpp"
#include "support/shared_file.hpp"

namespace tutti::test {

namespace {

constexpr int kWarmUp = 200;
constexpr int kCycles = 10'000;  // more than MPICH has communicators
constexpr int kCalls = 100'000;

// What an open file may get attached: a view, a plan, transports, a request, an info, a group, a
// failed call.
constexpr int kTypesPerUse = 3;  // one here, those that Tutti keeps with the view

int use(MPI_File file) {
  std::array<int, 4> values = {1, 2, 3, 4};
  int failures = 0;
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 2 * static_cast<MPI_Aint>(sizeof(int)), &column);
  MPI_Type_commit(&column);
  failures += MPI_File_set_view(file, 4 * (world_rank() % 2), MPI_INT, column, "native",
                                MPI_INFO_NULL) != MPI_SUCCESS;
  failures += MPI_File_write_all(file, values.data(), 4, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  failures +=
      MPI_File_write_at(file, 0, values.data(), 2, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  failures +=
      MPI_File_read_at(file, -1, values.data(), 2, MPI_INT, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  MPI_Type_free(&column);
  MPI_Request request = MPI_REQUEST_NULL;
  failures += MPI_File_iwrite_at(file, 8, values.data(), 4, MPI_INT, &request) != MPI_SUCCESS;
  failures += MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  MPI_Info info = MPI_INFO_NULL;
  failures += MPI_File_get_info(file, &info) != MPI_SUCCESS;
  MPI_Info_free(&info);
  MPI_Group group = MPI_GROUP_NULL;
  failures += MPI_File_get_group(file, &group) != MPI_SUCCESS;
  MPI_Group_free(&group);
  return failures;
}

int cycles(MPI_Comm comm, const std::string& path, int count, int every_use) {
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    MPI_File file = MPI_FILE_NULL;
    failures += MPI_File_open(comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                              &file) != MPI_SUCCESS;
    if (i % every_use == 0) failures += use(file);
    failures += MPI_File_close(&file) != MPI_SUCCESS;
  }
  return failures;
}

TEST(Leaks, OpenAndCloseAlone) {
  const SharedFile shared("leak_alone");
  const std::string path = shared.path() + "_" + std::to_string(world_rank());
  EXPECT_EQ(cycles(MPI_COMM_SELF, path, kWarmUp, 1), 0);
  const Footprint before;
  EXPECT_EQ(cycles(MPI_COMM_SELF, path, kCycles, 4), 0);
  expect_no_growth(before, "open and close on MPI_COMM_SELF", kCycles / 4 * kTypesPerUse);
  ::unlink(path.c_str());
}

TEST(Leaks, OpenAndCloseTogether) {
  const SharedFile shared("leak_together");
  EXPECT_EQ(cycles(MPI_COMM_WORLD, shared.path(), kWarmUp, 1), 0);
  const Footprint before;
  EXPECT_EQ(cycles(MPI_COMM_WORLD, shared.path(), kCycles, 8), 0);
  expect_no_growth(before, "open and close on MPI_COMM_WORLD", kCycles / 8 * kTypesPerUse);
}

// The shared pointer makes things of its own at its first use.
TEST(Leaks, SharedPointers) {
  const SharedFile shared("leak_shared");
  const auto share = [&](int count) {
    int failures = 0;
    for (int i = 0; i < count; ++i) {
      MPI_File file = MPI_FILE_NULL;
      const int word = i;
      failures += MPI_File_open(MPI_COMM_WORLD, shared.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                MPI_INFO_NULL, &file) != MPI_SUCCESS;
      failures += MPI_File_write_shared(file, &word, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS;
      failures += MPI_File_write_ordered(file, &word, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS;
      failures += MPI_File_close(&file) != MPI_SUCCESS;
    }
    return failures;
  };
  EXPECT_EQ(share(kWarmUp), 0);
  const Footprint before;
  EXPECT_EQ(share(kCycles / 10), 0);
  expect_no_growth(before, "shared pointers");
}

TEST(Leaks, FailedOpens) {
  const auto fail_often = [](int count) {
    int successes = 0;
    for (int i = 0; i < count; ++i) {
      MPI_File file = MPI_FILE_NULL;
      successes += MPI_File_open(MPI_COMM_WORLD, "/dev/shm/tutti_no_such_folder/file",
                                 MPI_MODE_RDONLY, MPI_INFO_NULL, &file) == MPI_SUCCESS;
    }
    return successes;
  };
  EXPECT_EQ(fail_often(kWarmUp), 0);
  const Footprint before;
  EXPECT_EQ(fail_often(kCycles / 4), 0);
  expect_no_growth(before, "failed opens");
}

TEST(Leaks, SmallCalls) {
  const SharedFile shared("leak_calls");
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(
      MPI_COMM_SELF, (shared.path() + "_" + std::to_string(world_rank())).c_str(),
      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file));
  // A new datatype for each call: what is kept on it must go with it.
  const auto calls = [&](int count) {
    std::array<char, 64> bytes{};
    int failures = 0;
    for (int i = 0; i < count; ++i) {
      MPI_Datatype type = MPI_DATATYPE_NULL;
      MPI_Type_vector(4, 1 + i % 3, 5, MPI_CHAR, &type);
      MPI_Type_commit(&type);
      failures += MPI_File_write_at(file, i % 1000, bytes.data(), 1, type, MPI_STATUS_IGNORE);
      failures += MPI_File_read_at(file, i % 1000, bytes.data(), 64, MPI_CHAR, MPI_STATUS_IGNORE);
      MPI_Type_free(&type);
    }
    return failures;
  };
  EXPECT_EQ(calls(1000), 0);
  const Footprint before;
  EXPECT_EQ(calls(kCalls / 2), 0);
  expect_no_growth(before, "small calls", kCalls / 2);
  TUTTI_OK(MPI_File_close(&file));
}

}  // namespace

}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
