// The contents of a measured file: every 4-byte word is a function of its place in the file and of
// a salt that changes with every write, so that a word which is missing, stale or at the wrong
// place shows. A Walk lists the words of one rank in stream order; it is written down apart from
// the MPI datatype of the same shape, so that neither can hide a slip of the other.
#ifndef BENCH_WORDS_H
#define BENCH_WORDS_H

#include <stdint.h>

#include "report.h"

enum { kWordBytes = 4, kMaxDepth = 4 };

struct walk {
  int64_t first, run_words;  // first word, words per contiguous run
  int depth;                 // loops around the run, outermost first
  int64_t count[kMaxDepth], stride[kMaxDepth];
  int64_t* starts;  // irregular: the runs' first words instead of loops
  int64_t start_count;
};

int64_t walk_runs(const struct walk* walk);
int64_t walk_words(const struct walk* walk);
// First word of run `index`.
int64_t walk_run_start(const struct walk* walk, int64_t index);

uint32_t word_value(int64_t word, uint32_t salt);
// A salt for the n-th write of a run; never kUntouched.
uint32_t make_salt(uint32_t n);
enum { kUntouched = 0 };

// Local. The rank's stream as it must be in memory.
void fill_stream(const struct walk* walk, uint32_t salt, uint32_t* stream);
// Local. Number of wrong words; says on stderr where the first one is.
int64_t check_stream(const struct walk* walk, uint32_t salt, const uint32_t* stream);

// Whether nobody writes this word.
typedef int (*hole_test)(const void* shape, int64_t word);

struct contents {
  int64_t words;
  hole_test is_hole;  // or NULL: no holes
  const void* shape;
};

// Collective. Writes all words, holes too, each rank a part.
void fill_file(const struct run* run, const struct contents* contents, uint32_t salt);
// Collective. Number of wrong words on all ranks; holes must still be kUntouched.
int64_t check_file(const struct run* run, const struct contents* contents, uint32_t salt);

// Local. All bytes, in spite of short transfers.
void write_fully(const struct run* run, int fd, const void* from, int64_t bytes, int64_t offset);
void read_fully(const struct run* run, int fd, void* to, int64_t bytes, int64_t offset);

#endif
