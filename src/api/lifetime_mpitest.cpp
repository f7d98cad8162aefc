// ranks: 1 2
// Calls before MPI_Init and after MPI_Finalize fail without a crash, also on a file left open.
#include <gtest/gtest.h>
#include <mpi.h>
#include <unistd.h>

#include <string>

namespace {

MPI_File left_open = MPI_FILE_NULL;
char byte = 'x';

void on_error(MPI_File*, int*, ...) {}

// What a program may try while MPI is not running.
void expect_refusals() {
  MPI_File none = MPI_FILE_NULL;
  EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, "/dev/shm/tutti_never", MPI_MODE_CREATE | MPI_MODE_RDWR,
                          MPI_INFO_NULL, &none),
            MPI_ERR_COMM);
  EXPECT_EQ(none, MPI_FILE_NULL);
  for (MPI_File file : {MPI_FILE_NULL, left_open}) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    EXPECT_EQ(MPI_File_write_at(file, 0, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_FILE);
    EXPECT_EQ(MPI_File_read_all(file, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_ERR_FILE);
    EXPECT_EQ(MPI_File_sync(file), MPI_ERR_FILE);
    EXPECT_EQ(MPI_File_get_errhandler(file, &handler), MPI_ERR_FILE);
    EXPECT_EQ(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN), MPI_ERR_FILE);
    EXPECT_EQ(MPI_File_call_errhandler(file, MPI_ERR_IO), MPI_ERR_FILE);
    EXPECT_EQ(MPI_File_c2f(file), 0);
    EXPECT_EQ(MPI_File_close(&file), MPI_ERR_FILE);
  }
  MPI_Errhandler made = MPI_ERRHANDLER_NULL;
  EXPECT_EQ(MPI_File_create_errhandler(on_error, &made), MPI_ERR_UNSUPPORTED_OPERATION);
  EXPECT_EQ(MPI_File_delete("/dev/shm/tutti_never", MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  expect_refusals();
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string path = "/dev/shm/tutti_lifetime_" + std::to_string(getpid());
  EXPECT_EQ(MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                          MPI_INFO_NULL, &left_open),
            MPI_SUCCESS);
  EXPECT_EQ(MPI_File_write_at(left_open, 0, &byte, 1, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_Finalize();
  expect_refusals();
  unlink(path.c_str());
  if (testing::Test::HasFailure()) return 1;
  std::printf("rank %d: no call outside of MPI's life got through\n", rank);
  return 0;
}
