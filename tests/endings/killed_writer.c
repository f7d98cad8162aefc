// Ranks that write by the shared pointer until the last one is killed in the middle of it:
//   killed_writer FILE
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { kBefore = 200 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  printf("process %ld\n", (long)getpid());
  fflush(stdout);
  for (int i = 0;; ++i) {
    MPI_File_write_shared(file, &i, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (i == kBefore && rank == ranks - 1) kill(getpid(), SIGKILL);
    if (i > kBefore) usleep(1000);  // the others go on until the launcher ends them
  }
}
