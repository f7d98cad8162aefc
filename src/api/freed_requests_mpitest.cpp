// ranks: 1 2 3
// The error of an access whose request the program has freed: no call can raise it, so it is said.
#include <gtest/gtest.h>
#include <mpi.h>

#include <chrono>
#include <string>

#include "exec/progress.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::world_rank;

enum class Freed { while_it_runs, when_it_is_over };

class FreedRequests : public testing::TestWithParam<Freed> {
 protected:
  void SetUp() override {
    TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, "faulty:delay-us=30000:/dev/full", MPI_MODE_WRONLY,
                           MPI_INFO_NULL, &file_));
  }
  void TearDown() override { TUTTI_OK(MPI_File_close(&file_)); }

  void free(MPI_Request& request) {
    const bool over = GetParam() == Freed::when_it_is_over;
    for (int flag = 0; over && flag == 0;)
      TUTTI_OK(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE));
    TUTTI_OK(MPI_Request_free(&request));
    // Later calls of the program's find that the access is over.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (process_progress().busy() && std::chrono::steady_clock::now() < patience) {
      int flag = 0;
      MPI_File_get_atomicity(file_, &flag);
    }
    EXPECT_FALSE(process_progress().busy());
  }

  MPI_File file_ = MPI_FILE_NULL;
  const std::string data_ = std::string(64, 'x');
};

TEST_P(FreedRequests, ErrorsAreSaidOnce) {
  for (const bool together : {false, true}) {
    testing::internal::CaptureStderr();
    MPI_Request request = MPI_REQUEST_NULL;
    TUTTI_OK((together ? MPI_File_iwrite_at_all : MPI_File_iwrite_at)(
        file_, 64 * world_rank(), data_.data(), 64, MPI_CHAR, &request));
    free(request);
    const std::string said = testing::internal::GetCapturedStderr();
    const std::string call = together ? "MPI_File_iwrite_at_all," : "MPI_File_iwrite_at,";
    EXPECT_NE(said.find(call), std::string::npos) << said;
    EXPECT_NE(said.find("/dev/full"), std::string::npos) << said;
    EXPECT_NE(said.find("freed"), std::string::npos) << said;
    EXPECT_EQ(said.find("freed"), said.rfind("freed")) << said;
  }
}

// Also where the reason itself says nothing of a file.
TEST_P(FreedRequests, RefusedArgumentsAreSaidWithTheFile) {
  testing::internal::CaptureStderr();
  MPI_Request request = MPI_REQUEST_NULL;
  TUTTI_OK(MPI_File_iwrite_at_all(file_, 0, data_.data(), -1, MPI_CHAR, &request));
  free(request);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("MPI_File_iwrite_at_all, whose request was freed: "), std::string::npos);
  EXPECT_NE(said.find("/dev/full: the count is negative"), std::string::npos) << said;
}

TEST_P(FreedRequests, ErrorsThatACallRaisesAreNotSaid) {
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    TUTTI_OK(MPI_File_iwrite_at(file_, 0, data_.data(), 64, MPI_CHAR, &request));
    EXPECT_NE(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

INSTANTIATE_TEST_SUITE_P(When, FreedRequests,
                         testing::Values(Freed::while_it_runs, Freed::when_it_is_over));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
