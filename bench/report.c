#include "report.h"

#include <mpi.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kExitWrong = 3, kExitCutOff = 75, kGraceSeconds = 5 };

void record(const struct run* run, const char* format, ...) {
  if (run->rank != 0) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(run->records, format, arguments);
  va_end(arguments);
  fputc('\n', run->records);
  fflush(run->records);
}

void give_up(const struct run* run, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "bench: rank %d: ", run->rank);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  MPI_Abort(MPI_COMM_WORLD, kExitWrong);
  abort();
}

static void cut_off(int signal_number) {
  (void)signal_number;
  _exit(kExitCutOff);
}

void watch(const struct run* run) {
  signal(SIGALRM, cut_off);
  alarm((unsigned)run->limit_seconds + kGraceSeconds);
}

void unwatch(void) { alarm(0); }

void add_skip(struct skips* skips, const char* key) {
  if (skips->count < (int)(sizeof skips->keys / sizeof *skips->keys))
    skips->keys[skips->count++] = key;
}

int is_skipped(const struct skips* skips, const char* case_name, const char* contestant,
               const char* op) {
  char key[4096];
  if (snprintf(key, sizeof key, "%s|%s|%s", case_name, contestant, op) >= (int)sizeof key) return 0;
  for (int i = 0; i < skips->count; ++i)
    if (strcmp(skips->keys[i], key) == 0) return 1;
  return 0;
}

double slowest(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

int64_t sum_over_ranks(int64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return value;
}

int64_t max_over_ranks(int64_t value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return value;
}
