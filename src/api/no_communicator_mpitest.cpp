// ranks: 1 2
// A program that has used up the host's communicators gets an error from MPI_File_open, on every
// rank, and can open files again once it has freed some.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::class_of;
using test::SharedFile;
using test::text_of;
using test::world_rank;
using test::world_size;

// As many as Open MPI has, and more than MPICH.
constexpr std::size_t kMost = 70'000;

class NoCommunicator : public testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  }
  void TearDown() override { free_all_but(0); }

  // Collective. Whether the host has no communicator for all ranks any more.
  bool use_up() {
    while (taken_.size() < kMost) {
      MPI_Comm made = MPI_COMM_NULL;
      if (MPI_Comm_dup(MPI_COMM_WORLD, &made) != MPI_SUCCESS) return true;
      taken_.push_back(made);
    }
    return false;
  }
  void free_all_but(std::size_t kept) {
    for (; taken_.size() > kept; taken_.pop_back()) MPI_Comm_free(&taken_.back());
  }
  std::vector<MPI_Comm> taken_;
  SharedFile path_{"no_communicator"};
};

// The communicator's own handler, which ends the job by default, is not asked.
TEST_F(NoCommunicator, IsAnErrorOfTheOpenOnEveryRank) {
  ASSERT_TRUE(use_up());
  // With one left, the private communicator can be made, and then nothing else.
  for (const std::size_t given_back : {0, 1}) {
    if (given_back > 0) free_all_but(taken_.size() - given_back);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_File file = MPI_FILE_NULL;
    const int code = MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                   MPI_INFO_NULL, &file);
    MPI_Errhandler now = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &now);
    EXPECT_EQ(now, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(class_of(code), MPI_ERR_NO_MEM) << given_back << ": " << text_of(code);
    EXPECT_NE(text_of(code).find("communicator"), std::string::npos) << text_of(code);
    EXPECT_EQ(file, MPI_FILE_NULL);
    int ranks = 0;
    const int mine = 1;
    MPI_Allreduce(&mine, &ranks, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(ranks, world_size());
  }
  free_all_but(taken_.size() - 8);
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file));
  const char mine = static_cast<char>('a' + world_rank());
  TUTTI_OK(MPI_File_write_at_all(file, world_rank(), &mine, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  // Used up again: what is open works, and so does opening where a closed file has left its own.
  ASSERT_TRUE(use_up());
  char found = '?';
  TUTTI_OK(MPI_File_read_at_all(file, world_rank(), &found, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT_EQ(found, mine);
  TUTTI_OK(MPI_File_close(&file));
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  TUTTI_OK(MPI_File_close(&file));
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
