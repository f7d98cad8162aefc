// What a benchmark program knows about its run, and the records it leaves for run.py: one JSON
// object per line, appended by rank 0 and flushed, so that they outlive a run that is cut off.
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdint.h>
#include <stdio.h>

struct run {
  int rank, ranks;
  FILE* records;         // rank 0 only
  const char* path;      // the file that is measured
  double limit_seconds;  // a call that takes longer is cut off
};

// Local. One record; the format gives a whole JSON object. Nothing on other ranks than 0.
void record(const struct run* run, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Collective. Says on stderr what happened and ends all ranks with a failure.
void give_up(const struct run* run, const char* format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

// Local. Between watch(run) and unwatch() the process ends itself when the limit is exceeded.
void watch(const struct run* run);
void unwatch(void);

// What run.py asks to leave out, as CASE|CONTESTANT|OP.
struct skips {
  const char* keys[64];
  int count;
};
void add_skip(struct skips* skips, const char* key);
int is_skipped(const struct skips* skips, const char* case_name, const char* contestant,
               const char* op);

// Collective.
double slowest(double seconds);
int64_t sum_over_ranks(int64_t value);
int64_t max_over_ranks(int64_t value);

#endif
