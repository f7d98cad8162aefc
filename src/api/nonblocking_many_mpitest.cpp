// ranks: 2
// Many nonblocking calls: one after another, which leaves nothing behind, all outstanding at once,
// and from several threads on one handle.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "mpi/owned.hpp"
#include "support/engine.hpp"
#include "support/footprint.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::Engine;
using test::expect_no_growth;
using test::Footprint;
using test::SharedFile;
using test::world_rank;
using test::world_size;

class Many : public testing::TestWithParam<Engine> {
 protected:
  void SetUp() override {
    const OwnedInfo info = test::hints_for(GetParam());
    TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, name_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                           info.get(), &file_));
  }
  void TearDown() override {
    if (file_ != MPI_FILE_NULL) MPI_File_close(&file_);
  }

  // Runs body(i) -> code so often that growth shows, after a while of warming up.
  template <class Body>
  static void expect_steady(int times, const char* what, const Body& body) {
    int failures = 0;
    for (int i = 0; i < times / 10 + 200; ++i) failures += body(i) != MPI_SUCCESS;
    const Footprint before;
    for (int i = 0; i < times; ++i) failures += body(i) != MPI_SUCCESS;
    EXPECT_EQ(failures, 0) << what;
    expect_no_growth(before, what);
  }

  SharedFile name_{"many"};
  MPI_File file_ = MPI_FILE_NULL;
};

TEST_P(Many, CollectiveCallsLeaveNothing) {
  const long word = 7;
  expect_steady(3000, "iwrite_at_all", [&](int i) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int started = MPI_File_iwrite_at_all(file_, 8 * (i % 100 * world_size() + world_rank()),
                                               &word, 1, MPI_LONG, &request);
    return started != MPI_SUCCESS ? started : MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

TEST_P(Many, SplitCallsLeaveNothing) {
  const long word = 7;
  expect_steady(3000, "split", [&](int) {
    const int begun = MPI_File_write_at_all_begin(file_, 8 * world_rank(), &word, 1, MPI_LONG);
    return begun != MPI_SUCCESS ? begun
                                : MPI_File_write_at_all_end(file_, &word, MPI_STATUS_IGNORE);
  });
}

TEST_P(Many, FailuresLeaveNothing) {
  const long word = 7;
  expect_steady(2000, "failing iwrite_at_all", [&](int) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File_iwrite_at_all(file_, world_rank() == 0 ? -1 : 0, &word, 1, MPI_LONG, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS ? MPI_ERR_OTHER : MPI_SUCCESS;
  });
}

TEST_P(Many, FreedRequestsLeaveNothing) {
  const long word = 7;
  expect_steady(2000, "freed requests", [&](int i) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File_iwrite_at(file_, 8 * world_rank(), &word, 1, MPI_LONG, &request);
    MPI_Request_free(&request);
    // Closing a file or completing another request makes the host let go of freed ones.
    if (i % 50 != 0) return MPI_SUCCESS;
    MPI_File_iwrite_at(file_, 8 * world_rank(), &word, 1, MPI_LONG, &request);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

TEST_P(Many, AThousandCollectiveCallsAtOnce) {
  constexpr int kCalls = 1000;
  std::vector<int> words(kCalls);
  std::vector<MPI_Request> requests(kCalls);
  std::vector<MPI_Status> statuses(kCalls);
  const auto place = [](int i) {
    return static_cast<MPI_Offset>(4) * (i * world_size() + world_rank());
  };
  for (int i = 0; i < kCalls; ++i) {
    const auto k = static_cast<std::size_t>(i);
    words[k] = i * 10 + world_rank();
    TUTTI_OK(MPI_File_iwrite_at_all(file_, place(i), &words[k], 1, MPI_INT, &requests[k]));
  }
  TUTTI_OK(MPI_Waitall(kCalls, requests.data(), statuses.data()));
  for (int i = 0; i < kCalls; ++i) {
    int found = -1;
    int count = 0;
    TUTTI_OK(MPI_File_read_at(file_, place(i), &found, 1, MPI_INT, MPI_STATUS_IGNORE));
    MPI_Get_count(&statuses[static_cast<std::size_t>(i)], MPI_INT, &count);
    EXPECT_EQ(found, i * 10 + world_rank());
    EXPECT_EQ(count, 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Many,
                         testing::Values(Engine::shared, Engine::threaded, Engine::polled),
                         [](const testing::TestParamInfo<Engine>& chosen) {
                           return std::string(test::name_of(chosen.param));
                         });

// A file that each rank has for itself.
class ManyAlone : public testing::Test {
 protected:
  void SetUp() override {
    TUTTI_OK(MPI_File_open(
        MPI_COMM_SELF, (name_.path() + "_" + std::to_string(world_rank())).c_str(),
        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file_));
  }
  void TearDown() override { MPI_File_close(&file_); }

  SharedFile name_{"many_alone"};
  MPI_File file_ = MPI_FILE_NULL;
};

TEST_F(ManyAlone, AHundredThousandCallsLeaveNothing) {
  const auto calls = [&](int count) {
    const long word = 3;
    int failures = 0;
    for (int i = 0; i < count; ++i) {
      MPI_Request request = MPI_REQUEST_NULL;
      failures += MPI_File_iwrite_at(file_, 8 * (i % 500), &word, 1, MPI_LONG, &request);
      failures += MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return failures;
  };
  EXPECT_EQ(calls(1000), 0);
  const Footprint before;
  EXPECT_EQ(calls(100'000), 0);
  expect_no_growth(before, "iwrite_at");
}

TEST_F(ManyAlone, TenThousandAtOnce) {
  constexpr int kCalls = 10'000;
  std::vector<int> words(kCalls);
  std::vector<int> found(kCalls);
  std::vector<MPI_Request> requests(kCalls);
  for (int i = 0; i < kCalls; ++i) {
    const auto k = static_cast<std::size_t>(i);
    words[k] = 3 * i;
    TUTTI_OK(MPI_File_iwrite_at(file_, 4 * i, &words[k], 1, MPI_INT, &requests[k]));
  }
  TUTTI_OK(MPI_Waitall(kCalls, requests.data(), MPI_STATUSES_IGNORE));
  TUTTI_OK(MPI_File_read_at(file_, 0, found.data(), kCalls, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(found, words);
}

// Four threads, one handle: each call of each thread does its own work and completes its own
// requests.
TEST(ManyThreads, ShareOneHandle) {
  constexpr int kThreads = 4;
  constexpr int kTimes = 100;
  const SharedFile name("many_threads");
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file));
  std::array<int, kThreads> failures{};
  // What the shared pointer places lies below everything else.
  constexpr MPI_Offset kBase = 1 << 20;
  const auto work = [&](int thread) {
    const auto self = static_cast<std::size_t>(thread);
    for (int i = 0; i < kTimes; ++i) {
      const MPI_Offset place =
          kBase +
          16 * ((static_cast<MPI_Offset>(i) * kThreads + thread) * world_size() + world_rank());
      const std::string data(16, static_cast<char>('a' + (thread * 5 + i) % 26));
      std::string back(16, '-');
      MPI_Request requests[2];
      int wrong = MPI_File_iwrite_at(file, place, data.data(), 8, MPI_CHAR, &requests[0]);
      wrong += MPI_File_iwrite_at(file, place + 8, data.data(), 8, MPI_CHAR, &requests[1]);
      if (thread % 2 == 0) {
        wrong += MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      } else {
        int indices[2];
        for (int done = 0, some = 0; done < 2; done += some) {
          wrong += MPI_Testsome(2, requests, &some, indices, MPI_STATUSES_IGNORE);
          std::this_thread::yield();
        }
      }
      wrong += MPI_File_read_at(file, place, back.data(), 16, MPI_CHAR, MPI_STATUS_IGNORE);
      wrong += MPI_File_write_at(file, place, data.data(), 16, MPI_CHAR, MPI_STATUS_IGNORE);
      wrong += MPI_File_write_shared(file, data.data(), 16, MPI_CHAR, MPI_STATUS_IGNORE);
      failures[self] += wrong != 0 || back != data ? 1 : 0;
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < kThreads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
  for (const int failed : failures) EXPECT_EQ(failed, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  const std::string content = name.content();
  for (int block = 0; block < kThreads * kTimes * world_size(); ++block) {
    const std::string one = content.substr(static_cast<std::size_t>(block) * 16, 16);
    EXPECT_EQ(one, std::string(16, one[0])) << "a place is given out once";
    EXPECT_NE(one[0], '\0');
  }
  TUTTI_OK(MPI_File_close(&file));
}

// Hundreds of files are open at the same time.
TEST(ManyFiles, OpenTogether) {
  constexpr int kFiles = 300;
  const SharedFile name("many_files");
  const auto once = [&] {
    std::vector<MPI_File> files(kFiles, MPI_FILE_NULL);
    for (int i = 0; i < kFiles; ++i)
      EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, (name.path() + "_" + std::to_string(i)).c_str(),
                              MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                              MPI_INFO_NULL, &files[static_cast<std::size_t>(i)]),
                MPI_SUCCESS);
    for (MPI_File& file : files) EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
  };
  once();
  const int before = test::descriptor_count();
  once();
  EXPECT_EQ(test::descriptor_count(), before);
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
