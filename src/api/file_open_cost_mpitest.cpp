// ranks: 1 2 4
// What opening a file makes in a process: the descriptors of its device. The shared file pointer
// needs nothing on one node, and one thread of rank 0's for all files together elsewhere.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/footprint.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::descriptor_count;
using test::SharedFile;
using test::thread_count;
using test::world_rank;
using test::world_size;

class FileOpenCost : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    MPI_Info_create(hints_.fill());
    MPI_Info_set(hints_.get(), "tutti_transport", GetParam());
    // What the ranks keep between them for later files is there afterwards.
    MPI_File first[2];
    for (MPI_File& file : first) file = open(MPI_COMM_WORLD);
    for (MPI_File& file : first) MPI_File_close(&file);
    MPI_File alone = open(MPI_COMM_SELF);
    MPI_File_close(&alone);
  }
  MPI_File open(MPI_Comm comm) {
    MPI_File file = MPI_FILE_NULL;
    EXPECT_EQ(
        MPI_File_open(comm, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, hints_.get(), &file),
        MPI_SUCCESS);
    return file;
  }
  // Of a file that no other rank has open.
  int descriptors_of_a_device() {
    const int before = descriptor_count();
    MPI_File file = open(MPI_COMM_SELF);
    const int opened = descriptor_count();
    MPI_File_close(&file);
    EXPECT_EQ(descriptor_count(), before);
    return opened - before;
  }

  OwnedInfo hints_;
  SharedFile path_{"open_cost"};
};

TEST_P(FileOpenCost, EveryFileAfterTheFirstIsItsDevice) {
  const int device = descriptors_of_a_device();
  const int threads = test::steady_thread_count();
  const int descriptors = descriptor_count();
  const bool answers =
      world_rank() == 0 && world_size() > 1 && std::string(GetParam()) == "messages";
  MPI_File first = open(MPI_COMM_WORLD);
  const int of_first = descriptor_count() - descriptors;
  EXPECT_EQ(thread_count(), threads + (answers ? 1 : 0));
  EXPECT_EQ(of_first, device + (answers ? 2 : 0)) << "a socket, and what ends the thread";
  MPI_File second = open(MPI_COMM_WORLD);
  EXPECT_EQ(thread_count(), threads + (answers ? 1 : 0));
  EXPECT_EQ(descriptor_count(), descriptors + of_first + device);
  MPI_File_close(&first);
  MPI_File_close(&second);
  EXPECT_EQ(test::thread_count_at_last(threads), threads);
  EXPECT_EQ(descriptor_count(), descriptors);
}

// By any call that uses it; ranks of one node make nothing even then.
TEST_P(FileOpenCost, UsingTheSharedPointerConnectsThoseWhoAreElsewhere) {
  MPI_File file = open(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  const int threads = test::steady_thread_count();
  const int descriptors = descriptor_count();
  MPI_Barrier(MPI_COMM_WORLD);  // nobody connects before all have counted
  const int number = world_rank();
  TUTTI_OK(MPI_File_write_shared(file, &number, 1, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_EQ(thread_count(), threads);
  const bool by_network = world_size() > 1 && std::string(GetParam()) == "messages";
  const int connections = !by_network ? 0 : world_rank() == 0 ? world_size() - 1 : 1;
  EXPECT_EQ(descriptor_count(), descriptors + connections);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_close(&file);
}

INSTANTIATE_TEST_SUITE_P(Transports, FileOpenCost, testing::Values("auto", "messages"));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
