#include "pattern.h"

#include <stdlib.h>
#include <string.h>

#include "words.h"

enum { kDemoSegments = 4, kNoncontigBytes = 16 << 20, kHpioRegions = 4096 };

static int64_t at_least_one(int64_t value) { return value < 1 ? 1 : value; }

static void in_calls_of(struct pattern* pattern, int64_t all_ranks, int64_t bytes) {
  pattern->calls = at_least_one(bytes / all_ranks);
  pattern->advance = all_ranks;
  pattern->file_bytes = pattern->calls * all_ranks;
}

// `count` blocks, dealt out to the ranks in turn, in a call.
static void dealt(const struct run* run, struct pattern* pattern, int64_t block, int64_t count,
                  int64_t bytes) {
  *pattern = (struct pattern){.first = run->rank * block,
                              .block = block,
                              .loops = 1,
                              .count = {count},
                              .stride = {run->ranks * block}};
  in_calls_of(pattern, run->ranks * block * count, bytes);
}

static void demo(const struct run* run, int64_t size, int64_t bytes, struct pattern* pattern) {
  dealt(run, pattern, size, kDemoSegments, bytes);
}

static void mpi_io_test(const struct run* run, int64_t size, int64_t bytes,
                        struct pattern* pattern) {
  dealt(run, pattern, size, 1, bytes);
}

static void ior(const struct run* run, int64_t size, int64_t bytes, struct pattern* pattern) {
  const int64_t calls = at_least_one(bytes / run->ranks / size);
  *pattern = (struct pattern){.first = run->rank * calls * size,
                              .block = size,
                              .calls = calls,
                              .advance = size,
                              .file_bytes = run->ranks * calls * size};
}

static void noncontig(const struct run* run, int64_t size, int64_t bytes, struct pattern* pattern) {
  const int64_t width = size * kWordBytes;
  const int64_t most = bytes < kNoncontigBytes ? bytes : kNoncontigBytes;
  dealt(run, pattern, width, at_least_one(most / width / run->ranks), bytes);
}

static void hpio(const struct run* run, int64_t size, int64_t bytes, struct pattern* pattern) {
  int64_t count = kHpioRegions;
  while (count > 1 && count * size * run->ranks > bytes) count /= 2;
  dealt(run, pattern, size, count, 0);
}

static void coll_perf(const struct run* run, int64_t size, int64_t bytes, struct pattern* pattern) {
  (void)bytes;
  int grid[3] = {0, 0, 0};
  MPI_Dims_create(run->ranks, 3, grid);
  int64_t side[3], part[3];
  for (int d = 0; d < 3; ++d) {
    part[d] = at_least_one(size / grid[d]);
    side[d] = part[d] * grid[d];
  }
  const int place[3] = {run->rank / (grid[1] * grid[2]), run->rank / grid[2] % grid[1],
                        run->rank % grid[2]};
  const int64_t row = side[2] * kWordBytes, plane = side[1] * row;
  *pattern = (struct pattern){.first = place[0] * part[0] * plane + place[1] * part[1] * row +
                                       place[2] * part[2] * kWordBytes,
                              .block = part[2] * kWordBytes,
                              .loops = 2,
                              .count = {part[0], part[1]},
                              .stride = {plane, row}};
  in_calls_of(pattern, side[0] * plane, 0);
}

static const struct {
  const char* name;
  void (*make)(const struct run*, int64_t size, int64_t bytes, struct pattern*);
} kPatterns[] = {{"demo", demo}, {"mpi-io-test", mpi_io_test},
                 {"ior", ior},   {"noncontig", noncontig},
                 {"hpio", hpio}, {"coll-perf", coll_perf}};

int make_pattern(const struct run* run, const char* name, int64_t bytes, struct pattern* pattern) {
  const size_t length = strcspn(name, ":");
  const int64_t size = name[length] == ':' ? atoll(name + length + 1) : 0;
  for (size_t i = 0; i < sizeof kPatterns / sizeof *kPatterns; ++i) {
    if (strlen(kPatterns[i].name) != length || strncmp(kPatterns[i].name, name, length) != 0)
      continue;
    if (size < 1) return 0;
    kPatterns[i].make(run, size, bytes, pattern);
    return pattern->block % kWordBytes == 0;
  }
  return 0;
}

int64_t call_blocks(const struct pattern* pattern) {
  int64_t blocks = 1;
  for (int d = 0; d < pattern->loops; ++d) blocks *= pattern->count[d];
  return blocks;
}

int64_t call_bytes(const struct pattern* pattern) { return call_blocks(pattern) * pattern->block; }

int64_t block_offset(const struct pattern* pattern, int64_t call, int64_t block) {
  int64_t offset = pattern->first + call * pattern->advance;
  for (int d = pattern->loops - 1; d >= 0; --d) {
    offset += block % pattern->count[d] * pattern->stride[d];
    block /= pattern->count[d];
  }
  return offset;
}

MPI_Datatype pattern_type(const struct pattern* pattern) {
  MPI_Datatype type;
  MPI_Type_contiguous((int)(pattern->block / kWordBytes), MPI_INT, &type);
  for (int d = pattern->loops - 1; d >= 0; --d) {
    MPI_Datatype outer;
    MPI_Type_create_hvector((int)pattern->count[d], 1, pattern->stride[d], type, &outer);
    MPI_Type_free(&type);
    type = outer;
  }
  MPI_Datatype tile;
  MPI_Type_create_resized(type, 0, pattern->advance, &tile);
  MPI_Type_free(&type);
  MPI_Type_commit(&tile);
  return tile;
}
