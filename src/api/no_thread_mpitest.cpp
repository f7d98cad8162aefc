// Nonblocking and split access where the system has no thread to give: this executable's own
// pthread_create stands in front of the C library's and refuses.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <string>

#include "mpi/owned.hpp"
#include "support/engine.hpp"
#include "support/shared_file.hpp"

namespace tutti::test {

inline std::atomic<bool> refuse_threads = false;

}  // namespace tutti::test

#pragma GCC visibility push(default)
extern "C" int pthread_create(pthread_t* made, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) {
  if (tutti::test::refuse_threads) return EAGAIN;
  static auto* const create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return create(made, attributes, body, argument);
}
#pragma GCC visibility pop

namespace tutti {
namespace {

using test::Engine;
using test::SharedFile;
using test::world_rank;
using test::world_size;

constexpr int kBytes = 96;

class NoThread : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    test::refuse_threads = true;
    const OwnedInfo info = test::hints_for(GetParam());
    TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, name_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                           info.get(), &file_));
  }
  void TearDown() override {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
    test::refuse_threads = false;
  }

  SharedFile name_{"no_thread"};
  MPI_File file_ = MPI_FILE_NULL;
  const MPI_Offset place_ = static_cast<MPI_Offset>(kBytes) * world_rank();
  const std::string data_ = std::string(kBytes, static_cast<char>('a' + world_rank()));
  std::string read_ = std::string(kBytes, '-');
};

TEST_P(NoThread, AccessOfOneRankIsDone) {
  MPI_Request requests[2];
  TUTTI_OK(MPI_File_iwrite_at(file_, place_, data_.data(), kBytes, MPI_BYTE, &requests[0]));
  TUTTI_OK(MPI_File_iread_at(file_, place_, read_.data(), kBytes, MPI_BYTE, &requests[1]));
  TUTTI_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  EXPECT_EQ(read_, data_);
}

TEST_P(NoThread, CollectiveAccessIsDone) {
  MPI_Request requests[2];
  TUTTI_OK(MPI_File_iwrite_at_all(file_, place_, data_.data(), kBytes, MPI_BYTE, &requests[0]));
  TUTTI_OK(MPI_File_iread_at_all(file_, place_, read_.data(), kBytes, MPI_BYTE, &requests[1]));
  TUTTI_OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
  EXPECT_EQ(read_, data_);
}

TEST_P(NoThread, SplitAccessIsDone) {
  TUTTI_OK(MPI_File_write_at_all_begin(file_, place_, data_.data(), kBytes, MPI_BYTE));
  TUTTI_OK(MPI_File_write_at_all_end(file_, data_.data(), MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_read_at_all_begin(file_, place_, read_.data(), kBytes, MPI_BYTE));
  TUTTI_OK(MPI_File_read_at_all_end(file_, read_.data(), MPI_STATUS_IGNORE));
  EXPECT_EQ(read_, data_);
}

// A thread on one rank only changes nothing for the others.
TEST_P(NoThread, SomeRanksMayHaveThreads) {
  test::refuse_threads = world_rank() % 2 == 1;
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_OK(MPI_File_iwrite_at_all(file_, place_, data_.data(), kBytes, MPI_BYTE, &request));
  TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  TUTTI_OK(MPI_File_read_at_all(file_, place_, read_.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_EQ(read_, data_);
}

// Without memory in common rank 0 answers others on a thread; the call that needs it says so.
TEST_P(NoThread, TheSharedPointerIsThereOrIsMissed) {
  const int code = MPI_File_write_shared(file_, data_.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE);
  const bool reachable = GetParam() == Engine::shared || world_rank() == 0;
  if (reachable) {
    EXPECT_EQ(code, MPI_SUCCESS);
  } else {
    EXPECT_TRUE(test::is_error(code, MPI_ERR_IO, name_.path()));
  }
}

INSTANTIATE_TEST_SUITE_P(Each, NoThread,
                         testing::Values(Engine::shared, Engine::threaded, Engine::polled),
                         [](const testing::TestParamInfo<Engine>& chosen) {
                           return std::string(test::name_of(chosen.param));
                         });

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
