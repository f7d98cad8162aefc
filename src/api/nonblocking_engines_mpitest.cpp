// Nonblocking and split collective access on each engine: ranks that meet in shared memory, a
// helper thread that calls MPI, and a helper thread whose MPI calls the program's threads make.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "mpi/owned.hpp"
#include "support/engine.hpp"
#include "support/random_calls.hpp"
#include "support/seed.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::class_of;
using test::counter;
using test::Engine;
using test::hints_for;
using test::is_error;
using test::name_of;
using test::RandomCalls;
using test::SharedFile;
using test::test_seed;
using test::world_rank;
using test::world_size;

// Blocks of `block` bytes, dealt out to the ranks in turn.
OwnedType dealt_blocks(int block) {
  MPI_Datatype piece = MPI_DATATYPE_NULL;
  MPI_Datatype tile = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(block, MPI_BYTE, &piece);
  MPI_Type_create_resized(piece, 0, static_cast<MPI_Aint>(block) * world_size(), &tile);
  MPI_Type_commit(&tile);
  MPI_Type_free(&piece);
  return OwnedType(tile);
}

class Engines : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    int level = 0;
    MPI_Query_thread(&level);
    ASSERT_EQ(level, MPI_THREAD_MULTIPLE);
  }
  void TearDown() override {
    if (handle_ != MPI_FILE_NULL) MPI_File_close(&handle_);
  }
  MPI_File open(const std::string& path) const {
    MPI_File file = MPI_FILE_NULL;
    const OwnedInfo info = hints_for(GetParam());
    EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                            info.get(), &file),
              MPI_SUCCESS);
    return file;
  }
  void open_dealt(int block, const std::string& prefix = "") {
    handle_ = open(prefix + file_.path());
    const OwnedType tile = dealt_blocks(block);
    TUTTI_OK(MPI_File_set_view(handle_, static_cast<MPI_Offset>(block) * world_rank(), MPI_BYTE,
                               tile.get(), "native", MPI_INFO_NULL));
  }

  SharedFile file_{"engines"};
  MPI_File handle_ = MPI_FILE_NULL;
};

TEST_P(Engines, CountersTellWhichOneRan) {
  open_dealt(3);
  const std::vector<char> data(3000, 'x');
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_OK(MPI_File_iwrite_at_all(handle_, 0, data.data(), 3000, MPI_BYTE, &request));
  TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (const Engine engine : {Engine::shared, Engine::threaded, Engine::polled})
    EXPECT_EQ(counter(handle_, std::string("nonblocking_") + name_of(engine)),
              engine == GetParam() ? 1 : 0);
  EXPECT_EQ(counter(handle_, "collective_calls"), 1);
  EXPECT_EQ(counter(handle_, "independent_calls"), 0) << "aggregated as the blocking call is";
}

// Reads see what was written before them in the order of calls, whatever is still outstanding.
TEST_P(Engines, RandomCallsMatchTheModel) {
  const std::uint64_t base = test_seed("Engines", 20240, world_rank() == 0);
  for (const int block : {1, 13, 4000}) {
    const int rows = RandomCalls::kStream / block + 1;
    file_.fill(std::string(
        static_cast<std::size_t>(rows) * static_cast<std::size_t>(block * world_size()), '\0'));
    open_dealt(block);
    RandomCalls calls(handle_, base + static_cast<std::uint64_t>(block));
    for (int i = 0; i < 25 && !HasFatalFailure(); ++i) calls.step();
    calls.settle();
    TUTTI_OK(MPI_File_close(&handle_));
    MPI_Barrier(MPI_COMM_WORLD);
    const std::string content = file_.content();
    for (int i = 0; i < RandomCalls::kStream; ++i) {
      const auto place =
          static_cast<std::size_t>((i / block * world_size() + world_rank()) * block + i % block);
      ASSERT_EQ(static_cast<unsigned char>(content[place]),
                calls.model()[static_cast<std::size_t>(i)])
          << "block " << block << " byte " << i;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Later calls on a handle come later in the file, also where a blocking one overtakes in the
// program.
TEST_P(Engines, CallsTakeEffectInTheirOrder) {
  open_dealt(2, "faulty:delay-us=2000:");
  std::vector<std::string> data;
  std::vector<MPI_Request> requests(6);
  for (std::size_t i = 0; i < requests.size(); ++i)
    data.emplace_back(400, static_cast<char>('a' + i));
  for (std::size_t i = 0; i < requests.size(); ++i)
    TUTTI_OK(MPI_File_iwrite_at_all(handle_, 0, data[i].data(), 400, MPI_BYTE, &requests[i]));
  const std::string last(200, 'z');
  TUTTI_OK(MPI_File_write_at_all(handle_, 0, last.data(), 200, MPI_BYTE, MPI_STATUS_IGNORE));
  std::string read(400, '-');
  TUTTI_OK(MPI_File_read_at_all(handle_, 0, read.data(), 400, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_EQ(read, last + data.back().substr(200));
  TUTTI_OK(MPI_Waitall(6, requests.data(), MPI_STATUSES_IGNORE));
}

// A wrong argument on one rank fails the call on all of them, and nobody hangs.
TEST_P(Engines, OneRanksMistakeIsEverybodysErrorAtCompletion) {
  open_dealt(4);
  const std::string data(16, 'x');
  const int culprit = world_size() - 1;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  TUTTI_OK(MPI_File_iwrite_at_all(handle_, 0, data.data(), world_rank() == culprit ? -1 : 16,
                                  MPI_BYTE, &requests[0]));
  TUTTI_OK(MPI_File_iwrite_at_all(handle_, 16, data.data(), 16, MPI_BYTE, &requests[1]));
  EXPECT_EQ(MPI_Waitall(2, requests, statuses), MPI_ERR_IN_STATUS);
  EXPECT_TRUE(is_error(statuses[0].MPI_ERROR, MPI_ERR_COUNT, file_.path()));
  EXPECT_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
}

TEST_P(Engines, SplitErrorsAreToldAtTheEnd) {
  const OwnedInfo info = hints_for(GetParam());
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, info.get(), &handle_));
  const std::string data(16, 'x');
  TUTTI_OK(MPI_File_write_at_all_begin(handle_, 16 * world_rank(), data.data(), 16, MPI_BYTE));
  MPI_Status status;
  EXPECT_TRUE(is_error(MPI_File_write_at_all_end(handle_, data.data(), &status), MPI_ERR_NO_SPACE,
                       "/dev/full"));
}

// Those that do not live by the program's calls.
class UnaidedEngines : public Engines {};

// Nobody calls MPI between the start and the moment when all bytes are in the file.
TEST_P(UnaidedEngines, BytesMoveWithoutHelpFromTheProgram) {
  open_dealt(5);
  const std::string data(5000, static_cast<char>('A' + world_rank()));
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_OK(MPI_File_iwrite_at_all(handle_, 0, data.data(), 5000, MPI_BYTE, &request));
  const auto whole = static_cast<std::size_t>(5000 * world_size());
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto complete = [&] {
    const std::string content = file_.content();
    return content.size() == whole && content.find('\0') == std::string::npos;
  };
  while (!complete() && std::chrono::steady_clock::now() < patience)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_TRUE(complete());
  TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

// Rank 0 has its access complete before it sends what the others, inside MPI_Recv, wait for.
TEST_P(UnaidedEngines, PeersMaySitInReceive) {
  open_dealt(7);
  const std::string data(7000, 'p');
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_OK(MPI_File_iwrite_at_all(handle_, 0, data.data(), 7000, MPI_BYTE, &request));
  int token = 0;
  if (world_rank() == 0) {
    TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int r = 1; r < world_size(); ++r) MPI_Send(&token, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
  } else {
    MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
}

// While a rank waits for its access, messages that others send to it still arrive.
TEST_P(Engines, WaitingLetsMessagesThrough) {
  open_dealt(7);
  constexpr int kLong = 4 << 20;
  std::vector<char> message(kLong, 'm');
  const std::string data(700, 'p');
  const int next = (world_rank() + 1) % world_size();
  const int before = (world_rank() + world_size() - 1) % world_size();
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Request receive = MPI_REQUEST_NULL;
  std::vector<char> landed(kLong);
  MPI_Irecv(landed.data(), kLong, MPI_CHAR, before, 2, MPI_COMM_WORLD, &receive);
  if (world_rank() == 0) {
    TUTTI_OK(MPI_File_iwrite_at_all(handle_, 0, data.data(), 700, MPI_BYTE, &request));
    TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Send(message.data(), kLong, MPI_CHAR, next, 2, MPI_COMM_WORLD);
  } else {
    if (next == 0) MPI_Send(message.data(), kLong, MPI_CHAR, next, 2, MPI_COMM_WORLD);
    TUTTI_OK(MPI_File_iwrite_at_all(handle_, 0, data.data(), 700, MPI_BYTE, &request));
    TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    if (next != 0) MPI_Send(message.data(), kLong, MPI_CHAR, next, 2, MPI_COMM_WORLD);
  }
  TUTTI_OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  EXPECT_EQ(landed, message);
}

// A blocking call, too, keeps the host's messages going while it waits for the other ranks.
TEST_P(Engines, BlockingCallsLetMessagesThrough) {
  open_dealt(7);
  constexpr int kLong = 4 << 20;
  const std::vector<char> message(kLong, 'm');
  std::vector<char> landed(kLong);
  const std::string data(700, 'p');
  MPI_Request receive = MPI_REQUEST_NULL;
  const int last = world_size() - 1;
  if (world_rank() == 0)
    MPI_Irecv(landed.data(), kLong, MPI_CHAR, last, 2, MPI_COMM_WORLD, &receive);
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == last && last > 0)
    MPI_Send(message.data(), kLong, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
  TUTTI_OK(MPI_File_write_at_all(handle_, 0, data.data(), 700, MPI_BYTE, MPI_STATUS_IGNORE));
  if (last == 0) MPI_Send(message.data(), kLong, MPI_CHAR, 0, 2, MPI_COMM_WORLD);  // to itself
  TUTTI_OK(MPI_Wait(&receive, MPI_STATUS_IGNORE));
  if (world_rank() == 0) {
    EXPECT_EQ(landed, message);
  }
}

// A polled access of one file goes on while the program waits in a blocking call of another.
TEST_P(Engines, BlockingCallsLetOtherFilesThrough) {
  const SharedFile other_name{"engines_beside"};
  MPI_File files[2] = {open(file_.path()), open(other_name.path())};
  const std::string data(64, 'q');
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_OK(
      MPI_File_iwrite_at_all(files[0], 64 * world_rank(), data.data(), 64, MPI_BYTE, &request));
  if (world_rank() % 2 == 1) {
    TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  TUTTI_OK(MPI_File_write_at_all(files[1], 64 * world_rank(), data.data(), 64, MPI_BYTE,
                                 MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (MPI_File& file : files) TUTTI_OK(MPI_File_close(&file));
}

// The second file's access is waited for first, on half of the ranks.
TEST_P(Engines, FilesDoNotWaitForEachOther) {
  const SharedFile other_name{"engines_other"};
  MPI_File files[2] = {open(file_.path()), open(other_name.path())};
  const std::string data(64, 'q');
  const int first = world_rank() % 2;
  MPI_Request requests[2];
  for (const int i : {first, 1 - first})
    TUTTI_OK(MPI_File_iwrite_at_all(files[i], 64 * world_rank(), data.data(), 64, MPI_BYTE,
                                    &requests[i]));
  for (const int i : {1 - first, first}) TUTTI_OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
  for (MPI_File& file : files) TUTTI_OK(MPI_File_close(&file));
}

// Two threads, each with a file of its own.
TEST_P(Engines, ThreadsWorkOnFilesOfTheirOwn) {
  const SharedFile other_name{"engines_thread"};
  MPI_File files[2] = {open(file_.path()), open(other_name.path())};
  int failures[2] = {0, 0};
  const auto work = [&](int which) {
    const std::string data(200, static_cast<char>('a' + which));
    for (int round = 0; round < 15; ++round) {
      MPI_Request requests[3];
      const MPI_Offset at = static_cast<MPI_Offset>(200) * (round * world_size() + world_rank());
      std::string back(200, '-');
      int wrong = 0;
      wrong += MPI_File_iwrite_at_all(files[which], at, data.data(), 200, MPI_BYTE, &requests[0]);
      wrong += MPI_File_iread_at_all(files[which], at, back.data(), 200, MPI_BYTE, &requests[1]);
      wrong +=
          MPI_File_iwrite_at(files[which], at + 1000000, data.data(), 200, MPI_BYTE, &requests[2]);
      wrong += MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
      failures[which] += wrong != 0 || back != data ? 1 : 0;
    }
  };
  std::thread second(work, 1);
  work(0);
  second.join();
  EXPECT_EQ(failures[0], 0);
  EXPECT_EQ(failures[1], 0);
  for (MPI_File& file : files) TUTTI_OK(MPI_File_close(&file));
}

#if MPI_VERSION >= 4
TEST_P(Engines, LargeCountFormsDoTheSame) {
  open_dealt(3);
  const std::string data(300, static_cast<char>('a' + world_rank()));
  std::string read(300, '-');
  std::string again(300, '-');
  MPI_Request requests[2];
  TUTTI_OK(MPI_File_iwrite_at_all_c(handle_, 300, data.data(), 300, MPI_BYTE, &requests[0]));
  TUTTI_OK(MPI_File_iwrite_all_c(handle_, data.data(), 300, MPI_BYTE, &requests[1]));
  TUTTI_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  TUTTI_OK(MPI_File_iread_at_all_c(handle_, 0, read.data(), 300, MPI_BYTE, &requests[0]));
  TUTTI_OK(MPI_File_iread_all_c(handle_, again.data(), 300, MPI_BYTE, &requests[1]));
  TUTTI_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  EXPECT_EQ(read, data);
  EXPECT_EQ(again, data);
}
#endif

std::string test_name(const testing::TestParamInfo<Engine>& chosen) {
  return name_of(chosen.param);
}

INSTANTIATE_TEST_SUITE_P(Each, Engines,
                         testing::Values(Engine::shared, Engine::threaded, Engine::polled),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Each, UnaidedEngines, testing::Values(Engine::shared, Engine::threaded),
                         test_name);

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
