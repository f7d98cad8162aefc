// How much of a nonblocking collective access goes on while the program computes and calls no MPI.
// Times, in turn: the access alone (start, wait), the computation alone, the access with the
// computation between its start and its wait, and the computation alone again: "compute" is the
// mean of both, because a machine's pace changes. The ranks' blocks alternate in the file; every
// byte is checked after every access, with plain system calls. Rank 0 prints a line of JSON for
// each repetition.
//
//   bench_overlap FILE BYTES SECONDS REPETITIONS write|read
//   bench_overlap FILE BYTES SECONDS REPETITIONS recv
//
// FILE may have a device's prefix. "recv": while rank 0 waits for a write, the others sit in
// MPI_Recv for a message that it sends afterwards; "both" is then the time until it has come.
#include <fcntl.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBlockBytes = 4096 };

static int rank, ranks;
static int64_t words;  // of this rank
static uint64_t* data;
static const char* path;
static MPI_File file;

static void check(int good, const char* what) {
  if (good) return;
  fprintf(stderr, "bench_overlap: rank %d: %s\n", rank, what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// A value for each word of the file and each access.
static uint64_t value_at(int64_t word, uint64_t salt) {
  const int64_t block_words = kBlockBytes / (int64_t)sizeof(uint64_t);
  const int64_t place = (word / block_words * ranks + rank) * block_words + word % block_words;
  return ((uint64_t)place + salt) * UINT64_C(0x9e3779b97f4a7c15);
}

static void fill(uint64_t salt) {
  for (int64_t i = 0; i < words; ++i) data[i] = value_at(i, salt);
}

static void check_data(uint64_t salt) {
  for (int64_t i = 0; i < words; ++i) check(data[i] == value_at(i, salt), "a wrong word");
}

// This rank's blocks, to or from the file, by plain system calls.
static void move_plainly(int writes) {
  const int descriptor = open(path, O_RDWR);
  check(descriptor >= 0, "cannot open the file to check it");
  for (int64_t at = 0; at < words * (int64_t)sizeof(uint64_t); at += kBlockBytes) {
    char* const memory = (char*)data + at;
    const off_t place = (off_t)(at * ranks + (int64_t)rank * kBlockBytes);
    const ssize_t moved = writes ? pwrite(descriptor, memory, kBlockBytes, place)
                                 : pread(descriptor, memory, kBlockBytes, place);
    check(moved == kBlockBytes, "a check met the end of the file");
  }
  close(descriptor);
}

static double now(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

static void compute(int64_t steps) {
  uint64_t value = 1;
  for (int64_t i = 0; i < steps; ++i) value = value * UINT64_C(6364136223846793005) + (uint64_t)i;
  volatile uint64_t kept = value;
  (void)kept;
}

static double timed_computation(int64_t steps) {
  const double begin = now();
  compute(steps);
  return now() - begin;
}

static int64_t steps_for(double seconds) {
  enum { kTrial = 20000000 };
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double taken = timed_computation(kTrial);
    if (taken < best) best = taken;
  }
  int64_t steps = (int64_t)(seconds / best * kTrial);
  MPI_Bcast(&steps, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return steps;
}

static MPI_Request start(int writes) {
  MPI_Request request;
  const int count = (int)words;
  const int code = writes ? MPI_File_iwrite_at_all(file, 0, data, count, MPI_UINT64_T, &request)
                          : MPI_File_iread_at_all(file, 0, data, count, MPI_UINT64_T, &request);
  check(code == MPI_SUCCESS, "the access does not start");
  return request;
}

static void finish(MPI_Request* request) {
  MPI_Status status;
  MPI_Count bytes = 0;
  check(MPI_Wait(request, &status) == MPI_SUCCESS, "the access failed");
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  check(bytes == words * (MPI_Count)sizeof(uint64_t), "the status counts wrong bytes");
}

enum between { kNothing, kCompute, kReceive };

// One access of new bytes, checked. Seconds on the slowest rank.
static double timed_access(int writes, enum between between, int64_t steps) {
  static uint64_t salt = 0;
  salt += 1000;
  fill(salt);
  if (!writes) {
    move_plainly(1);
    memset(data, 0, (size_t)words * sizeof *data);
  }
  const double begin = now();
  MPI_Request request = start(writes);
  if (between == kCompute) compute(steps);
  if (between == kReceive && rank > 0)
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  finish(&request);
  for (int r = 1; between == kReceive && rank == 0 && r < ranks; ++r)
    MPI_Send(NULL, 0, MPI_BYTE, r, 0, MPI_COMM_WORLD);
  const double taken = now() - begin;
  if (writes) {
    memset(data, 0, (size_t)words * sizeof *data);
    move_plainly(0);
  }
  check_data(salt);
  return taken;
}

static void open_and_view(const char* name) {
  MPI_Datatype block, mine;
  check(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file) == MPI_SUCCESS,
        "the file does not open");
  MPI_Type_contiguous(kBlockBytes / (int)sizeof(uint64_t), MPI_UINT64_T, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)kBlockBytes * ranks, &mine);
  MPI_Type_commit(&mine);
  check(MPI_File_set_view(file, (MPI_Offset)kBlockBytes * rank, MPI_UINT64_T, mine, "native",
                          MPI_INFO_NULL) == MPI_SUCCESS,
        "the view is refused");
  MPI_Type_free(&block);
  MPI_Type_free(&mine);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check(argc == 6, "usage: bench_overlap FILE BYTES SECONDS REPETITIONS write|read|recv");
  const char* const colon = strrchr(argv[1], ':');
  path = colon != NULL ? colon + 1 : argv[1];
  words = atoll(argv[2]) / ranks / kBlockBytes * (kBlockBytes / (int64_t)sizeof *data);
  data = malloc((size_t)words * sizeof *data + 1);
  check(words > 0 && data != NULL, "no memory, or fewer bytes than a block");
  const int writes = strcmp(argv[5], "read") != 0;
  const enum between between = strcmp(argv[5], "recv") == 0 ? kReceive : kCompute;
  open_and_view(argv[1]);
  fill(1);
  if (rank == 0) check(truncate(path, words * (int64_t)sizeof *data * ranks) == 0, "truncate");
  MPI_Barrier(MPI_COMM_WORLD);
  move_plainly(1);
  (void)timed_access(writes, kNothing, 0);
  const int64_t steps = steps_for(atof(argv[3]));
  for (int i = 0; i < atoi(argv[4]); ++i) {
    const double alone = timed_access(writes, kNothing, 0);
    const double before = between == kCompute ? timed_computation(steps) : 0;
    const double both = timed_access(writes, between, steps);
    const double after = between == kCompute ? timed_computation(steps) : 0;
    const double computed = (before + after) / 2;
    if (rank == 0)
      printf("{\"alone\": %.6f, \"compute\": %.6f, \"both\": %.6f}\n", alone, computed, both);
  }
  MPI_File_close(&file);
  free(data);
  MPI_Finalize();
  return 0;
}
