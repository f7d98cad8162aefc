// An access that fails beside the program, on a file whose error handler ends the job:
//   fatal_completion FILE alone|wait|test|waitall|split
// Nothing behind the completing call may run on any rank.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

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
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  char name[4096];
  snprintf(name, sizeof name, "faulty:fail-write-after=0,errno=ENOSPC:%s", argv[1]);
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  char data[kBytes];
  memset(data, 'x', sizeof data);
  printf("about to fail\n");
  fflush(stdout);
  if (is(argv[2], "alone"))
    fail_alone(file, rank == ranks - 1, data);
  else
    fail_together(argv[2], file, (MPI_Offset)kBytes * rank, data);
  printf("went on after the error\n");
  fflush(stdout);
  MPI_Finalize();
  return 0;
}
