// ranks: 1 3
// What disturbs an access that goes on beside the program: others who cut the file short, transfers
// that move a part only, signals.
#include <gtest/gtest.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <string>
#include <thread>

#include "mpi/owned.hpp"
#include "support/faults.hpp"
#include "support/interrupted_transfers.hpp"

namespace tutti {
namespace {

using test::all_fault_cases;
using test::class_of;
using test::Faults;
using test::kBytes;
using test::letters;
using test::raised;
using test::text_of;
using test::world_rank;

// Somebody else cuts the file short again and again, also under a mapping.
TEST_P(Faults, AFileThatOthersCutShort) {
  open(file_.path(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  const std::string data = letters();
  std::atomic<bool> ending = false;
  std::thread cutter([&] {
    if (world_rank() != 0) return;
    for (int i = 0; !ending; ++i) (void)!::truncate(path_.c_str(), i % 2 == 0 ? 1000 : 2 * kBytes);
  });
  std::string found(kBytes, '?');
  for (int i = 0; i < 40; ++i) {
    raised = {};
    const int wrote = write(data);
    EXPECT_TRUE(wrote == MPI_SUCCESS || class_of(wrote) == MPI_ERR_IO) << text_of(wrote);
    EXPECT_EQ(raised.times, wrote == MPI_SUCCESS ? 0 : 1);
    raised = {};
    const int got = read(found);
    EXPECT_TRUE(got == MPI_SUCCESS || class_of(got) == MPI_ERR_IO) << text_of(got);
    EXPECT_LE(counted(), kBytes);
  }
  ending = true;
  cutter.join();
  MPI_Barrier(MPI_COMM_WORLD);
  raised = {};
  EXPECT_EQ(write(data), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(read(found), MPI_SUCCESS);
  EXPECT_EQ(found, data);
}

// Every other transfer of the helper threads is interrupted, and the rest move a part only.
TEST_P(Faults, TransfersThatAreInterrupted) {
  open(file_.path(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  OwnedInfo info;
  MPI_Info_create(info.fill());
  MPI_Info_set(info.get(), "tutti_access", "list");  // nothing through a mapping
  TUTTI_OK(MPI_File_set_info(handle_, info.get()));
  const std::string data = letters();
  std::string found(kBytes, '?');
  test::interruptions = 0;
  test::interrupting = true;
  EXPECT_EQ(write(data), MPI_SUCCESS);
  EXPECT_EQ(counted(), kBytes);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(read(found), MPI_SUCCESS);
  EXPECT_EQ(counted(), kBytes);
  test::interrupting = false;
  EXPECT_EQ(found, data);
  int most = 0;
  const int mine = test::interruptions;
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_GT(most, 0);
}

// A timer every millisecond, whose handler does not restart system calls.
std::atomic<int> ticks = 0;  // NOLINT: signal handlers have no context
void tick(int) { ++ticks; }

TEST_P(Faults, SystemCallsThatAreInterrupted) {
  open(file_.path(), MPI_MODE_CREATE | MPI_MODE_RDWR);
  ticks = 0;
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = tick;
  sigaction(SIGALRM, &action, &before);
  const itimerval often{{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &often, nullptr);
  const std::string data = letters();
  std::string found(kBytes, '?');
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(write(data), MPI_SUCCESS);
    EXPECT_EQ(counted(), kBytes);
    MPI_Barrier(MPI_COMM_WORLD);
    found.assign(kBytes, '?');
    EXPECT_EQ(read(found), MPI_SUCCESS);
    EXPECT_EQ(found, data);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  while (ticks < 3) std::this_thread::yield();
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &before, nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::ValuesIn(all_fault_cases()),
                         [](const auto& chosen) { return test::name_of(chosen.param); });

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
