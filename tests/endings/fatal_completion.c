// An access that fails beside the program, on a file whose error handler ends the job:
//   fatal_completion FILE alone|wait|test|waitall|split
// Nothing behind the completing call may run on any rank.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#include "job.h"

enum { kBytes = 64 };

static int is(const char* way, const char* name) { return strcmp(way, name) == 0; }

// The last rank fails alone while the others wait for it.
static void fail_alone(MPI_File file, int is_last, char* data) {
  if (is_last) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File_iwrite_at(file, 0, data, kBytes, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void fail_together(const char* way, MPI_File file, MPI_Offset place, char* data) {
  if (is(way, "split")) {
    MPI_File_write_at_all_begin(file, place, data, kBytes, MPI_BYTE);
    MPI_File_write_at_all_end(file, data, MPI_STATUS_IGNORE);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  MPI_File_iwrite_at_all(file, place, data, kBytes, MPI_BYTE, &request);
  if (is(way, "wait")) MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (is(way, "waitall")) MPI_Waitall(1, &request, &status);
  if (is(way, "test"))
    for (int flag = 0; !flag;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  const Job job = begin_job(&argc, &argv, "faulty:fail-write-after=0,errno=ENOSPC:", argv[1]);
  MPI_File_set_errhandler(job.file, MPI_ERRORS_ARE_FATAL);
  char data[kBytes];
  memset(data, 'x', sizeof data);
  printf("about to fail\n");
  fflush(stdout);
  if (is(argv[2], "alone"))
    fail_alone(job.file, job.rank == job.ranks - 1, data);
  else
    fail_together(argv[2], job.file, (MPI_Offset)kBytes * job.rank, data);
  printf("went on after the error\n");
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
