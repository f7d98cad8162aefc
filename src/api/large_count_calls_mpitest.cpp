// ranks: 1 2 3
// Every form with an MPI_Count, where the host has them: the same bytes as the form with an int.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <functional>

#include "api/export.hpp"
#include "support/shared_file.hpp"

namespace tutti::test {

namespace {

#if TUTTI_HAS_LARGE_COUNT_CALLS

constexpr MPI_Count kInts = 50;
using Ints = std::array<int, kInts>;

Ints values_of(int rank) {
  Ints values{};
  for (int i = 0; i < kInts; ++i) values[static_cast<std::size_t>(i)] = 1000 * rank + i;
  return values;
}

// A call that moves this rank's ints at its place, by offset or by the pointer that stands there.
using Move = std::function<int(MPI_File, MPI_Offset, int*, MPI_Status*)>;

int ended_by(int code, MPI_Request& request, MPI_Status* status) {
  return code != MPI_SUCCESS ? code : MPI_Wait(&request, status);
}

void round_trip(const char* what, const Move& write, const Move& read) {
  SCOPED_TRACE(what);
  const SharedFile path("large_count_calls");
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file));
  TUTTI_OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
  const auto place = [](int rank) { return MPI_Offset{rank} * kInts; };
  const auto move = [&](const Move& call, int rank, Ints& ints) {
    MPI_Status status;
    ASSERT_EQ(MPI_File_seek(file, place(rank), MPI_SEEK_SET), MPI_SUCCESS);
    ASSERT_EQ(call(file, place(rank), ints.data(), &status), MPI_SUCCESS);
    MPI_Count moved = -1;
    MPI_Get_elements_x(&status, MPI_INT, &moved);
    EXPECT_EQ(moved, kInts);
  };
  Ints mine = values_of(world_rank());
  move(write, world_rank(), mine);
  TUTTI_OK(MPI_File_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  const int other = (world_rank() + 1) % world_size();
  Ints got{};
  move(read, other, got);
  EXPECT_EQ(got, values_of(other));
  TUTTI_OK(MPI_File_close(&file));
}

TEST(LargeCountCalls, ExplicitOffsets) {
  round_trip(
      "alone",
      [](MPI_File file, MPI_Offset at, int* ints, MPI_Status* status) {
        return MPI_File_write_at_c(file, at, ints, kInts, MPI_INT, status);
      },
      [](MPI_File file, MPI_Offset at, int* ints, MPI_Status* status) {
        return MPI_File_read_at_c(file, at, ints, kInts, MPI_INT, status);
      });
  round_trip(
      "together",
      [](MPI_File file, MPI_Offset at, int* ints, MPI_Status* status) {
        return MPI_File_write_at_all_c(file, at, ints, kInts, MPI_INT, status);
      },
      [](MPI_File file, MPI_Offset at, int* ints, MPI_Status* status) {
        return MPI_File_read_at_all_c(file, at, ints, kInts, MPI_INT, status);
      });
  round_trip(
      "split",
      [](MPI_File file, MPI_Offset at, int* ints, MPI_Status* status) {
        const int begun = MPI_File_write_at_all_begin_c(file, at, ints, kInts, MPI_INT);
        return begun != MPI_SUCCESS ? begun : MPI_File_write_at_all_end(file, ints, status);
      },
      [](MPI_File file, MPI_Offset at, int* ints, MPI_Status* status) {
        const int begun = MPI_File_read_at_all_begin_c(file, at, ints, kInts, MPI_INT);
        return begun != MPI_SUCCESS ? begun : MPI_File_read_at_all_end(file, ints, status);
      });
  round_trip(
      "nonblocking",
      [](MPI_File file, MPI_Offset at, int* ints, MPI_Status* status) {
        MPI_Request request = MPI_REQUEST_NULL;
        return ended_by(MPI_File_iwrite_at_c(file, at, ints, kInts, MPI_INT, &request), request,
                        status);
      },
      [](MPI_File file, MPI_Offset at, int* ints, MPI_Status* status) {
        MPI_Request request = MPI_REQUEST_NULL;
        return ended_by(MPI_File_iread_at_c(file, at, ints, kInts, MPI_INT, &request), request,
                        status);
      });
}

TEST(LargeCountCalls, IndividualPointers) {
  round_trip(
      "alone",
      [](MPI_File file, MPI_Offset, int* ints, MPI_Status* status) {
        return MPI_File_write_c(file, ints, kInts, MPI_INT, status);
      },
      [](MPI_File file, MPI_Offset, int* ints, MPI_Status* status) {
        return MPI_File_read_c(file, ints, kInts, MPI_INT, status);
      });
  round_trip(
      "together",
      [](MPI_File file, MPI_Offset, int* ints, MPI_Status* status) {
        return MPI_File_write_all_c(file, ints, kInts, MPI_INT, status);
      },
      [](MPI_File file, MPI_Offset, int* ints, MPI_Status* status) {
        return MPI_File_read_all_c(file, ints, kInts, MPI_INT, status);
      });
  round_trip(
      "split",
      [](MPI_File file, MPI_Offset, int* ints, MPI_Status* status) {
        const int begun = MPI_File_write_all_begin_c(file, ints, kInts, MPI_INT);
        return begun != MPI_SUCCESS ? begun : MPI_File_write_all_end(file, ints, status);
      },
      [](MPI_File file, MPI_Offset, int* ints, MPI_Status* status) {
        const int begun = MPI_File_read_all_begin_c(file, ints, kInts, MPI_INT);
        return begun != MPI_SUCCESS ? begun : MPI_File_read_all_end(file, ints, status);
      });
  round_trip(
      "nonblocking",
      [](MPI_File file, MPI_Offset, int* ints, MPI_Status* status) {
        MPI_Request request = MPI_REQUEST_NULL;
        return ended_by(MPI_File_iwrite_c(file, ints, kInts, MPI_INT, &request), request, status);
      },
      [](MPI_File file, MPI_Offset, int* ints, MPI_Status* status) {
        MPI_Request request = MPI_REQUEST_NULL;
        return ended_by(MPI_File_iread_c(file, ints, kInts, MPI_INT, &request), request, status);
      });
}

// Each rank's ints land somewhere: all of them together are what was written.
TEST(LargeCountCalls, SharedPointersNonblocking) {
  const SharedFile path("large_count_shared");
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file));
  Ints mine = values_of(world_rank());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  TUTTI_OK(ended_by(MPI_File_iwrite_shared_c(file, mine.data(), kInts, MPI_INT, &request), request,
                    &status));
  TUTTI_OK(MPI_File_sync(file));
  TUTTI_OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
  Ints got{};
  TUTTI_OK(ended_by(MPI_File_iread_shared_c(file, got.data(), kInts, MPI_INT, &request), request,
                    &status));
  EXPECT_EQ(got, values_of(got[0] / 1000));
  int ranks_seen = 1 << (got[0] / 1000);
  MPI_Allreduce(MPI_IN_PLACE, &ranks_seen, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(ranks_seen, (1 << world_size()) - 1);
  TUTTI_OK(MPI_File_close(&file));
}

#else

TEST(LargeCountCalls, TheHostHasNone) {
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "MPI_File_write_at_c"), nullptr) << "the tests above have to run";
}

#endif

}  // namespace

}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
