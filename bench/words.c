#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kChunkWords = 1 << 18 };
static const uint32_t kStep = 2654435761u;

uint32_t word_value(int64_t word, uint32_t salt) { return (uint32_t)word * kStep + salt; }

uint32_t make_salt(uint32_t n) {
  uint32_t x = n * 0x85EBCA6Bu + 0x27D4EB2Fu;
  x ^= x >> 15;
  x *= 0xC2B2AE35u;
  x ^= x >> 13;
  return x == kUntouched ? 1 : x;
}

int64_t walk_runs(const struct walk* walk) {
  if (walk->starts != NULL) return walk->start_count;
  int64_t runs = 1;
  for (int d = 0; d < walk->depth; ++d) runs *= walk->count[d];
  return runs;
}

int64_t walk_words(const struct walk* walk) { return walk_runs(walk) * walk->run_words; }

int64_t walk_run_start(const struct walk* walk, int64_t index) {
  if (walk->starts != NULL) return walk->starts[index];
  int64_t start = walk->first;
  for (int d = walk->depth - 1; d >= 0; --d) {
    start += index % walk->count[d] * walk->stride[d];
    index /= walk->count[d];
  }
  return start;
}

// The innermost loop of a walk, or one run of an irregular one.
struct row {
  int64_t start, runs, stride;
};

static int64_t row_count(const struct walk* walk) {
  if (walk->starts != NULL) return walk->start_count;
  int64_t rows = 1;
  for (int d = 0; d + 1 < walk->depth; ++d) rows *= walk->count[d];
  return rows;
}

static struct row row_at(const struct walk* walk, int64_t index) {
  if (walk->starts != NULL) return (struct row){walk->starts[index], 1, 0};
  if (walk->depth == 0) return (struct row){walk->first, 1, 0};
  const int inner = walk->depth - 1;
  const int64_t run = index * walk->count[inner];
  return (struct row){walk_run_start(walk, run), walk->count[inner], walk->stride[inner]};
}

void fill_stream(const struct walk* walk, uint32_t salt, uint32_t* stream) {
  const int64_t rows = row_count(walk), words = walk->run_words;
  for (int64_t r = 0; r < rows; ++r) {
    const struct row row = row_at(walk, r);
    for (int64_t i = 0; i < row.runs; ++i) {
      const int64_t start = row.start + i * row.stride;
      for (int64_t w = 0; w < words; ++w) stream[w] = word_value(start + w, salt);
      stream += words;
    }
  }
}

static void say_wrong(const char* where, int64_t word, uint32_t found, uint32_t salt) {
  fprintf(stderr, "bench: wrong word %lld %s: found %08x, expected %08x\n", (long long)word, where,
          found, word_value(word, salt));
}

int64_t check_stream(const struct walk* walk, uint32_t salt, const uint32_t* stream) {
  const int64_t rows = row_count(walk), words = walk->run_words;
  int64_t wrong = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const struct row row = row_at(walk, r);
    for (int64_t i = 0; i < row.runs; ++i) {
      const int64_t start = row.start + i * row.stride;
      for (int64_t w = 0; w < words; ++w) {
        if (stream[w] == word_value(start + w, salt)) continue;
        if (wrong++ == 0) say_wrong("in memory", start + w, stream[w], salt);
      }
      stream += words;
    }
  }
  return wrong;
}

void write_fully(const struct run* run, int fd, const void* from, int64_t bytes, int64_t offset) {
  const char* at = from;
  while (bytes > 0) {
    const ssize_t done = pwrite(fd, at, (size_t)bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) give_up(run, "cannot write %s: %s", run->path, strerror(errno));
    at += done, offset += done, bytes -= done;
  }
}

void read_fully(const struct run* run, int fd, void* to, int64_t bytes, int64_t offset) {
  char* at = to;
  while (bytes > 0) {
    const ssize_t done = pread(fd, at, (size_t)bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0)
      give_up(run, "cannot read %s: %s", run->path, done < 0 ? strerror(errno) : "end of file");
    at += done, offset += done, bytes -= done;
  }
}

static int open_measured(const struct run* run) {
  const int fd = open(run->path, O_RDWR | O_CREAT, 0644);
  if (fd < 0) give_up(run, "cannot open %s: %s", run->path, strerror(errno));
  return fd;
}

// Calls `visit` for the rank's part of the file, a chunk at a time.
typedef int64_t (*chunk_visitor)(const struct run*, const struct contents*, uint32_t salt, int fd,
                                 int64_t first, int64_t words, uint32_t* buffer);

static int64_t visit_part(const struct run* run, const struct contents* contents, uint32_t salt,
                          chunk_visitor visit) {
  const int64_t begin = contents->words * run->rank / run->ranks;
  const int64_t end = contents->words * (run->rank + 1) / run->ranks;
  uint32_t* const buffer = malloc((size_t)kChunkWords * kWordBytes);
  const int fd = open_measured(run);
  int64_t sum = 0;
  for (int64_t first = begin; first < end; first += kChunkWords) {
    const int64_t words = end - first < kChunkWords ? end - first : kChunkWords;
    sum += visit(run, contents, salt, fd, first, words, buffer);
  }
  close(fd);
  free(buffer);
  return sum;
}

static int64_t fill_chunk(const struct run* run, const struct contents* contents, uint32_t salt,
                          int fd, int64_t first, int64_t words, uint32_t* buffer) {
  for (int64_t w = 0; w < words; ++w) {
    const int hole = contents->is_hole != NULL && contents->is_hole(contents->shape, first + w);
    buffer[w] = word_value(first + w, hole ? (uint32_t)kUntouched : salt);
  }
  write_fully(run, fd, buffer, words * kWordBytes, first * kWordBytes);
  return 0;
}

static int64_t check_chunk(const struct run* run, const struct contents* contents, uint32_t salt,
                           int fd, int64_t first, int64_t words, uint32_t* buffer) {
  read_fully(run, fd, buffer, words * kWordBytes, first * kWordBytes);
  int64_t wrong = 0;
  for (int64_t w = 0; w < words; ++w) {
    const int hole = contents->is_hole != NULL && contents->is_hole(contents->shape, first + w);
    const uint32_t expected_salt = hole ? (uint32_t)kUntouched : salt;
    if (buffer[w] == word_value(first + w, expected_salt)) continue;
    if (wrong++ == 0)
      say_wrong(hole ? "in a hole" : "in the file", first + w, buffer[w], expected_salt);
  }
  return wrong;
}

void fill_file(const struct run* run, const struct contents* contents, uint32_t salt) {
  MPI_Barrier(MPI_COMM_WORLD);
  visit_part(run, contents, salt, fill_chunk);
  MPI_Barrier(MPI_COMM_WORLD);
}

int64_t check_file(const struct run* run, const struct contents* contents, uint32_t salt) {
  return sum_over_ranks(visit_part(run, contents, salt, check_chunk));
}
