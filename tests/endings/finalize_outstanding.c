// Ends MPI with accesses outstanding and a file open, which the standard forbids:
//   finalize_outstanding FILE
// The bytes are in the file all the same once MPI_Finalize has returned.
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

enum { kBytes = 100000, kKinds = 4 };  // alone, together, freed, split

static char data[kKinds][kBytes];

static int holds(const char* path, MPI_Offset place, const char* wanted) {
  static char found[kBytes];
  const int descriptor = open(path, O_RDONLY);
  const ssize_t got = pread(descriptor, found, kBytes, place);
  close(descriptor);
  return got == kBytes && memcmp(found, wanted, kBytes) == 0;
}

int main(int argc, char** argv) {
  const Job job = begin_job(&argc, &argv, "faulty:delay-us=20000:", argv[1]);
  MPI_Offset place[kKinds];
  for (int kind = 0; kind < kKinds; ++kind) {
    memset(data[kind], 'a' + kKinds * job.rank + kind, kBytes);
    place[kind] = (MPI_Offset)kBytes * (kind * job.ranks + job.rank);
  }
  MPI_Request requests[3];
  int wrong = MPI_File_iwrite_at(job.file, place[0], data[0], kBytes, MPI_BYTE, &requests[0]);
  wrong |= MPI_File_iwrite_at_all(job.file, place[1], data[1], kBytes, MPI_BYTE, &requests[1]);
  wrong |= MPI_File_iwrite_at(job.file, place[2], data[2], kBytes, MPI_BYTE, &requests[2]);
  wrong |= MPI_Request_free(&requests[2]);
  wrong |= MPI_File_write_at_all_begin(job.file, place[3], data[3], kBytes, MPI_BYTE);
  MPI_Finalize();
  for (int kind = 0; kind < kKinds; ++kind)
    if (wrong || !holds(argv[1], place[kind], data[kind])) {
      printf("rank %d: the bytes of access %d are missing\n", job.rank, kind);
      return 1;
    }
  if (job.rank == 0) printf("all bytes are in the file\n");
  return 0;
}
