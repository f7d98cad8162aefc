// One rank ends MPI with a collective access outstanding that no other rank has started:
//   finalize_alone FILE
#include <mpi.h>
#include <string.h>

#include "job.h"

int main(int argc, char** argv) {
  const Job job = begin_job(&argc, &argv, "", argv[1]);
  static char data[64];
  memset(data, 'x', sizeof data);
  MPI_Request request = MPI_REQUEST_NULL;
  if (job.rank == 0) MPI_File_iwrite_at_all(job.file, 0, data, sizeof data, MPI_BYTE, &request);
  MPI_Finalize();
  return 0;
}
