// Nonblocking access: every way of completion, many requests at once, errors, freed types and
// requests, closing too early.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "mpi/owned.hpp"
#include "support/completion.hpp"
#include "support/seed.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::class_of;
using test::complete_all;
using test::Completed;
using test::Completion;
using test::is_error;
using test::kCompletions;
using test::SharedFile;
using test::test_seed;
using test::world_rank;
using test::world_size;

enum class Sharing { alone, together };

int start_write(Sharing sharing, MPI_File file, MPI_Offset at, const void* data, int count,
                MPI_Datatype type, MPI_Request* request) {
  return sharing == Sharing::alone ? MPI_File_iwrite_at(file, at, data, count, type, request)
                                   : MPI_File_iwrite_at_all(file, at, data, count, type, request);
}

int start_read(Sharing sharing, MPI_File file, MPI_Offset at, void* data, int count,
               MPI_Datatype type, MPI_Request* request) {
  return sharing == Sharing::alone ? MPI_File_iread_at(file, at, data, count, type, request)
                                   : MPI_File_iread_at_all(file, at, data, count, type, request);
}

class Nonblocking : public testing::TestWithParam<Sharing> {
 protected:
  void TearDown() override {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
  }
  void open(const std::string& prefix = "") {
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, (prefix + file_.path()).c_str(),
                            MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &handle_),
              MPI_SUCCESS);
  }
  int write(MPI_Offset at, const void* data, int count, MPI_Datatype type, MPI_Request* request) {
    return start_write(GetParam(), handle_, at, data, count, type, request);
  }
  int read(MPI_Offset at, void* data, int count, MPI_Datatype type, MPI_Request* request) {
    return start_read(GetParam(), handle_, at, data, count, type, request);
  }

  SharedFile file_{"nonblocking"};
  MPI_File handle_ = MPI_FILE_NULL;
};

int count_of(const MPI_Status& status, MPI_Datatype type) {
  int counted = -1;
  MPI_Get_count(&status, type, &counted);
  return counted;
}

int elements_of(const MPI_Status& status, MPI_Datatype type) {
  int counted = -1;
  MPI_Get_elements(&status, type, &counted);
  return counted;
}

// Value of int number i of the file after `round`.
int value_of(std::int64_t i, int round) { return static_cast<int>(i * 7 + round * 1000003); }

// Many accesses on one handle, between requests of the host's and null ones, in every way.
TEST_P(Nonblocking, ManyAtOnceAreCompletedInEveryWay) {
  open();
  std::mt19937_64 draw(
      test_seed("Nonblocking", 4711 + static_cast<unsigned>(world_rank()), world_rank() == 0));
  constexpr int kAccesses = 12;
  constexpr int kInts = 500;
  const int rank = world_rank();
  int round = 0;
  for (const Completion way : kCompletions) {
    ++round;
    const int sent = round;
    std::vector<std::vector<int>> data(kAccesses, std::vector<int>(kInts));
    std::vector<int> received(kAccesses, -1);
    for (const bool writing : {true, false}) {
      std::vector<MPI_Request> requests(3 * kAccesses, MPI_REQUEST_NULL);
      for (int k = 0; k < kAccesses; ++k) {
        const auto i = static_cast<std::size_t>(k);
        const MPI_Offset first = (static_cast<MPI_Offset>(k) * world_size() + rank) * kInts;
        const MPI_Offset at = first * static_cast<MPI_Offset>(sizeof(int));
        if (writing) {
          for (int j = 0; j < kInts; ++j)
            data[i][static_cast<std::size_t>(j)] = value_of(first + j, round);
          TUTTI_OK(write(at, data[i].data(), kInts - k, MPI_INT, &requests[3 * i]));
        } else {
          std::fill(data[i].begin(), data[i].end(), -1);
          TUTTI_OK(read(at, data[i].data(), kInts - k, MPI_INT, &requests[3 * i]));
        }
        MPI_Irecv(&received[i], 1, MPI_INT, rank, k, MPI_COMM_WORLD, &requests[3 * i + 1]);
      }
      for (int k = 0; k < kAccesses; ++k) MPI_Send(&sent, 1, MPI_INT, rank, k, MPI_COMM_WORLD);
      std::vector<int> order(requests.size());
      std::iota(order.begin(), order.end(), 0);
      std::shuffle(order.begin(), order.end(), draw);
      const auto done = complete_all(requests, way, order);
      for (std::size_t i = 0; i < kAccesses; ++i) {
        EXPECT_EQ(done[3 * i].code, MPI_SUCCESS) << name_of(way);
        EXPECT_EQ(count_of(done[3 * i].status, MPI_INT), kInts - static_cast<int>(i))
            << name_of(way);
        int cancelled = 1;
        MPI_Test_cancelled(&done[3 * i].status, &cancelled);
        EXPECT_EQ(cancelled, 0);
        EXPECT_EQ(received[i], round);
      }
    }
    for (int k = 0; k < kAccesses; ++k)
      for (int j = 0; j < kInts; ++j)
        ASSERT_EQ(
            data[static_cast<std::size_t>(k)][static_cast<std::size_t>(j)],
            j < kInts - k
                ? value_of((static_cast<std::int64_t>(k) * world_size() + rank) * kInts + j, round)
                : -1)
            << name_of(way) << " access " << k << " int " << j;
  }
}

// The pointer moves by all that was asked for, before anything has been read.
TEST_P(Nonblocking, PointersMoveAtTheCallAndStatusesCountWhatCame) {
  file_.fill("0123456789");
  open();
  std::string first(8, '-');
  std::string second(8, '-');
  MPI_Request requests[2];
  MPI_Status statuses[2];
  const auto start = [&](void* data, MPI_Request* request) {
    return GetParam() == Sharing::alone ? MPI_File_iread(handle_, data, 4, MPI_SHORT, request)
                                        : MPI_File_iread_all(handle_, data, 4, MPI_SHORT, request);
  };
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(4, MPI_SHORT, &pair);
  MPI_Type_commit(&pair);
  TUTTI_OK(start(first.data(), &requests[0]));
  MPI_Offset at = -1;
  MPI_File_get_position(handle_, &at);
  EXPECT_EQ(at, 8);
  TUTTI_OK(start(second.data(), &requests[1]));
  MPI_File_get_position(handle_, &at);
  EXPECT_EQ(at, 16);
  TUTTI_OK(MPI_Waitall(2, requests, statuses));
  EXPECT_EQ(first, "01234567");
  EXPECT_EQ(second, "89------");
  EXPECT_EQ(count_of(statuses[0], pair), 1);
  EXPECT_EQ(count_of(statuses[1], pair), MPI_UNDEFINED);
  EXPECT_EQ(elements_of(statuses[1], pair), 1);
  MPI_Type_free(&pair);
}

TEST_P(Nonblocking, TypesMayBeFreedRightAfterTheCall) {
  open("faulty:delay-us=20000:");
  const int ranks = world_size();
  constexpr int kBlocks = 300;
  const auto strided = [](int blocks, int stride) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(blocks, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
  };
  MPI_Datatype filetype = strided(kBlocks, ranks);
  TUTTI_OK(MPI_File_set_view(handle_, world_rank() * static_cast<MPI_Offset>(sizeof(int)), MPI_INT,
                             filetype, "native", MPI_INFO_NULL));
  MPI_Type_free(&filetype);
  std::vector<int> memory(2 * kBlocks, -5);
  for (int i = 0; i < kBlocks; ++i)
    memory[2 * static_cast<std::size_t>(i)] = world_rank() * 100000 + i;
  MPI_Datatype type = strided(kBlocks, 2);
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_OK(write(0, memory.data(), 1, type, &request));
  MPI_Type_free(&type);
  MPI_Datatype other = strided(7, 5);  // may take the freed one's handle
  TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  MPI_Type_free(&other);
  std::vector<int> again(kBlocks, -1);
  TUTTI_OK(MPI_File_read_at_all(handle_, 0, again.data(), kBlocks, MPI_INT, MPI_STATUS_IGNORE));
  for (int i = 0; i < kBlocks; ++i)
    ASSERT_EQ(again[static_cast<std::size_t>(i)], world_rank() * 100000 + i);
}

TEST_P(Nonblocking, CancelledAccessIsDoneAllTheSame) {
  open();
  const std::string mine = "cancel" + std::to_string(world_rank());
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int cancelled = 1;
  TUTTI_OK(write(7 * world_rank(), mine.data(), 7, MPI_CHAR, &request));
  TUTTI_OK(MPI_Cancel(&request));
  TUTTI_OK(MPI_Wait(&request, &status));
  MPI_Test_cancelled(&status, &cancelled);
  EXPECT_EQ(cancelled, 0);
  EXPECT_EQ(count_of(status, MPI_CHAR), 7);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(file_.content().substr(static_cast<std::size_t>(7 * world_rank()), 7), mine);
}

TEST_P(Nonblocking, FreedRequestsGoOnAndLeaveNothingBehind) {
  open();
  const int rounds = GetParam() == Sharing::alone ? 2000 : 100;
  std::vector<int> data(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i) {
    data[static_cast<std::size_t>(i)] = i * 3 + world_rank();
    MPI_Request request = MPI_REQUEST_NULL;
    TUTTI_OK(write((world_rank() * rounds + i) * static_cast<MPI_Offset>(sizeof(int)),
                   &data[static_cast<std::size_t>(i)], 1, MPI_INT, &request));
    TUTTI_OK(MPI_Request_free(&request));
    EXPECT_EQ(request, MPI_REQUEST_NULL);
  }
  TUTTI_OK(MPI_File_close(&handle_));
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string content = file_.content();
  ASSERT_EQ(content.size(), static_cast<std::size_t>(world_size() * rounds) * sizeof(int));
  for (int i = 0; i < rounds; ++i) {
    int seen = -1;
    std::memcpy(&seen,
                content.data() + static_cast<std::size_t>(world_rank() * rounds + i) * sizeof(int),
                sizeof seen);
    ASSERT_EQ(seen, i * 3 + world_rank());
  }
}

struct Raised {
  int times = 0;
  int code = 0;
  MPI_File file = MPI_FILE_NULL;
};
Raised raised;  // what the handler below saw

void on_error(MPI_File* file, int* code, ...) { raised = {raised.times + 1, *code, *file}; }

// Every completion raises the failure on the file's handler and says it in its own way.
TEST_P(Nonblocking, ErrorsAreRaisedOnTheFileWhenTheRequestIsCompleted) {
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, MPI_INFO_NULL, &handle_));
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(on_error, &handler);
  MPI_File_set_errhandler(handle_, handler);
  MPI_Errhandler_free(&handler);
  const std::vector<char> data(64, 'x');
  for (const Completion way : kCompletions) {
    raised = {};
    int received = 0;
    const int sent = 5;
    std::vector<MPI_Request> requests(4, MPI_REQUEST_NULL);
    MPI_Irecv(&received, 1, MPI_INT, world_rank(), 9, MPI_COMM_WORLD, &requests[0]);
    MPI_Send(&sent, 1, MPI_INT, world_rank(), 9, MPI_COMM_WORLD);
    TUTTI_OK(write(64 * world_rank(), data.data(), 64, MPI_CHAR, &requests[1]));
    TUTTI_OK(write(64 * world_rank(), data.data(), 64, MPI_CHAR, &requests[3]));
    EXPECT_EQ(raised.times, 0);
    const auto done = complete_all(requests, way, {3, 0, 1, 2});
    EXPECT_EQ(raised.times, 2) << name_of(way);
    EXPECT_EQ(raised.file, handle_) << name_of(way);
    EXPECT_EQ(class_of(raised.code), MPI_ERR_NO_SPACE) << name_of(way);
    for (const std::size_t i : {1U, 3U})
      EXPECT_TRUE(is_error(done[i].code, MPI_ERR_NO_SPACE, "/dev/full")) << name_of(way);
    EXPECT_EQ(done[0].code, MPI_SUCCESS) << name_of(way);
    EXPECT_EQ(received, 5);
    EXPECT_EQ(count_of(done[1].status, MPI_CHAR), 0);
  }
}

// While storage takes its time the program goes on, and nothing but the helper thread moves bytes.
TEST_P(Nonblocking, TheCallReturnsWhileStorageWorks) {
  constexpr auto kDelay = std::chrono::milliseconds(200);
  open("faulty:delay-us=200000:");
  const std::string mine = "12345678";
  MPI_Request request = MPI_REQUEST_NULL;
  const auto began = std::chrono::steady_clock::now();
  TUTTI_OK(write(8 * world_rank(), mine.data(), 8, MPI_CHAR, &request));
  int flag = 1;
  TUTTI_OK(MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  const auto tested = std::chrono::steady_clock::now() - began;
  if (tested < kDelay) {
    EXPECT_EQ(flag, 0);
  }
  // The program makes no call at all until the bytes are there.
  while (file_.content().size() < static_cast<std::size_t>(8 * world_rank() + 8))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  if (flag == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

TEST_P(Nonblocking, ClosingWaitsForWhatIsUnderWay) {
  open("faulty:delay-us=30000:");
  const std::string mine = "abcdefgh";
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i)
    TUTTI_OK(write(8 * (3 * world_rank() + i), mine.data(), 8, MPI_CHAR, &requests[i]));
  TUTTI_OK(MPI_File_close(&handle_));
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(file_.content().size(), static_cast<std::size_t>(24 * world_size()));
  TUTTI_OK(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
}

TEST_P(Nonblocking, EmptyAccessesComplete) {
  open();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  TUTTI_OK(write(0, nullptr, 0, MPI_INT, &request));
  TUTTI_OK(MPI_Wait(&request, &status));
  EXPECT_EQ(count_of(status, MPI_INT), 0);
  char byte = 'x';
  TUTTI_OK(read(0, &byte, 1, MPI_CHAR, &request));
  TUTTI_OK(MPI_Wait(&request, &status));
  EXPECT_EQ(count_of(status, MPI_CHAR), 0);
}

TEST_P(Nonblocking, ViewsWithoutBytesLeaveThePointerAlone) {
  open();
  MPI_Datatype nothing = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_CHAR, &nothing);
  MPI_Type_commit(&nothing);
  TUTTI_OK(MPI_File_set_view(handle_, 0, MPI_CHAR, nothing, "native", MPI_INFO_NULL));
  MPI_Type_free(&nothing);
  char bytes[4];
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  TUTTI_OK(GetParam() == Sharing::alone
               ? MPI_File_iread(handle_, bytes, 4, MPI_CHAR, &request)
               : MPI_File_iread_all(handle_, bytes, 4, MPI_CHAR, &request));
  TUTTI_OK(MPI_Wait(&request, &status));
  EXPECT_EQ(count_of(status, MPI_CHAR), 0);
  MPI_Offset at = -1;
  TUTTI_OK(MPI_File_get_position(handle_, &at));
  EXPECT_EQ(at, 0);
}

INSTANTIATE_TEST_SUITE_P(Alone, Nonblocking, testing::Values(Sharing::alone));
INSTANTIATE_TEST_SUITE_P(Together, Nonblocking, testing::Values(Sharing::together));

TEST(NonblockingArguments, WrongOnesAreRaisedAtOnce) {
  const SharedFile name{"nonblocking_arguments"};
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                         MPI_INFO_NULL, &file));
  char byte = 'x';
  MPI_Request request = MPI_REQUEST_NULL;
  EXPECT_TRUE(
      is_error(MPI_File_iread(file, &byte, 1, MPI_CHAR, &request), MPI_ERR_ACCESS, name.path()));
  EXPECT_EQ(request, MPI_REQUEST_NULL);
  EXPECT_TRUE(is_error(MPI_File_iwrite_at(file, -1, &byte, 1, MPI_CHAR, &request), MPI_ERR_ARG,
                       name.path()));
  EXPECT_TRUE(
      is_error(MPI_File_iwrite(file, &byte, -1, MPI_CHAR, &request), MPI_ERR_COUNT, name.path()));
  EXPECT_TRUE(
      is_error(MPI_File_iwrite(file, &byte, 1, MPI_CHAR, nullptr), MPI_ERR_ARG, name.path()));
  MPI_Offset at = -1;
  MPI_File_get_position(file, &at);
  EXPECT_EQ(at, 0);
  TUTTI_OK(MPI_File_close(&file));
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
