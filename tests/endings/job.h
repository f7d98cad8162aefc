// What jobs that end in an unusual way begin with.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

typedef struct {
  int rank;
  int ranks;
  MPI_File file;
} Job;

// Starts MPI, says each rank's process and opens `path` on a device with the given faults ("" for
// none), on all ranks.
static inline Job begin_job(int* argc, char*** argv, const char* faults, const char* path) {
  Job job = {0, 1, MPI_FILE_NULL};
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  printf("process %ld\n", (long)getpid());
  fflush(stdout);
  char name[4096];
  snprintf(name, sizeof name, "%s%s", faults, path);
  MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &job.file);
  return job;
}
