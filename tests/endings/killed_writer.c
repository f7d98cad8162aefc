// Ranks that write by the shared pointer until the last one is killed in the middle of it:
//   killed_writer FILE
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include "job.h"

enum { kBefore = 200 };

int main(int argc, char** argv) {
  const Job job = begin_job(&argc, &argv, "", argv[1]);
  for (int i = 0;; ++i) {
    MPI_File_write_shared(job.file, &i, 1, MPI_INT, MPI_STATUS_IGNORE);
    if (i == kBefore && job.rank == job.ranks - 1) kill(getpid(), SIGKILL);
    if (i > kBefore) usleep(1000);  // the others go on until the launcher ends them
  }
}
