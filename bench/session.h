// The state of one run of access.c: who is measured, on which shape, with which buffers.
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H

#include "contestant.h"
#include "report.h"
#include "shape.h"

enum { kMaxContestants = 16, kMaxStats = 32 };

struct options {
  int64_t bytes;
  int repetitions;
  double budget_seconds;  // of one contestant in one case; repetitions beyond it are left out
  int memory;
  int cold;   // caches are filled with other bytes before each measured access
  int spoil;  // a check of the checks: one byte is made wrong after each write
  struct skips skips;
};

struct stat_value {
  char key[64];
  double value;
};

struct entry {
  struct contestant contestant;
  int takes_part[2];  // by direction
  int repetitions;
  int open;
  struct stat_value stats[kMaxStats];
  int stat_count;
};

struct session {
  struct run run;
  struct options options;
  struct entry entries[kMaxContestants];
  int entry_count;
  const char* case_name;
  struct shape shape;
  uint32_t* stream;  // the rank's words, packed
  uint32_t* memory;  // the same with gaps, where the shape has them
  uint32_t writes;   // numbers the salts
  uint32_t file_salt;
  int64_t wrong;
};

// "write" and "read", by direction.
extern const char* const kOps[2];

// Local. The buffer that a contestant works on.
uint32_t* buffer_of(struct session* s, const struct contestant* c);

// Collective. Opens and sets the view; 0 and a record when some rank failed.
int opened(struct session* s, struct contestant* c, const struct shape* shape,
           struct opening* opening);

// Collective. The time of one access, or a negative number and a record when some rank failed.
double timed_access(struct session* s, struct contestant* c, const struct shape* shape,
                    enum direction direction, uint32_t* buffer);

// Collective. One direction of one contestant, timed, recorded and checked; negative on failure.
double measure(struct session* s, struct entry* e, enum direction direction, int repetition);

// Local. Fills the contestant's buffer for a write with a new salt.
void prepare_write(struct session* s, const struct contestant* c);
// Collective. Check the file, or what was read; a wrong word makes a record.
void check_write(struct session* s, const struct contestant* c);
void check_read(struct session* s, const struct contestant* c);

// Local. Records how Tutti's counters grew since the last time.
void record_stats(struct session* s, struct entry* e, const char* op, int repetition);

// Collective. Lets everybody try the case at a fraction of its size and takes out, with a record,
// those who would exceed the limit at full size. The file's contents are lost.
void run_trials(struct session* s);

#endif
