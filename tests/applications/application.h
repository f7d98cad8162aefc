// What the programs in this folder share: checks that end the job with a line, and values by place.
#pragma once

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, ranks;

#define CHECK(condition)                                                                     \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      fprintf(stderr, "FAILED: rank %d, %s:%d: %s\n", rank, __FILE__, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
    }                                                                                        \
  } while (0)

static void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(*argc == 2);
}

static int finish(const char* program) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("%s: ok\n", program);
  MPI_Finalize();
  return 0;
}

// The value that belongs to a place of a dataset, and to no other place near it.
static inline int value_at(long place) { return (int)(place * 2654435761UL >> 7 & 0x7fffffff); }

static inline void* memory(size_t bytes) {
  void* const got = malloc(bytes > 0 ? bytes : 1);
  CHECK(got != NULL);
  return got;
}
