#include "shape.h"

#include <stdlib.h>
#include <string.h>

static int64_t at_least_one(int64_t value) { return value < 1 ? 1 : value; }

static int cyclic(const struct run* run, const char* option, int64_t bytes, struct shape* shape) {
  const int64_t block = atoll(option);
  if (block < 1) return 0;
  const int64_t cycle = block * run->ranks;
  const int64_t blocks = at_least_one(bytes / kWordBytes / cycle);
  shape->walk = (struct walk){.first = run->rank * block,
                              .run_words = block,
                              .depth = 1,
                              .count = {blocks},
                              .stride = {cycle}};
  shape->contents.words = blocks * cycle;
  shape->displacement = run->rank * block * kWordBytes;
  MPI_Type_vector((int)blocks, (int)block, (int)cycle, MPI_INT, &shape->filetype);
  return 1;
}

static int array2d(const struct run* run, const char* option, int64_t bytes, struct shape* shape) {
  (void)option;
  int grid[2] = {0, 0};
  MPI_Dims_create(run->ranks, 2, grid);
  int64_t side = 1;
  while ((side + 1) * (side + 1) * kWordBytes <= bytes) ++side;
  const int64_t unit = (int64_t)grid[0] * grid[1];
  side = at_least_one(side / unit) * unit;
  const int sizes[2] = {(int)side, (int)side};
  const int part[2] = {(int)side / grid[0], (int)side / grid[1]};
  const int start[2] = {run->rank / grid[1] * part[0], run->rank % grid[1] * part[1]};
  shape->walk = (struct walk){.first = start[0] * side + start[1],
                              .run_words = part[1],
                              .depth = 1,
                              .count = {part[0]},
                              .stride = {side}};
  shape->contents.words = side * side;
  MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &shape->filetype);
  return 1;
}

static int appended(const struct run* run, const char* option, int64_t bytes, struct shape* shape) {
  enum { kRows = 256, kColumns = 4 };
  (void)option;
  const int columns = kColumns * run->ranks;
  const int64_t array_words = (int64_t)kRows * columns;
  const int64_t arrays = at_least_one(bytes / kWordBytes / array_words);
  for (int kind = MEMORY_ONE_GAP; kind <= MEMORY_GAPS; ++kind)
    shape->memory[kind] = (struct memory_side){.chunk_words = kRows * kColumns, .gap_words = 4};
  shape->walk = (struct walk){.first = run->rank * kColumns,
                              .run_words = kColumns,
                              .depth = 2,
                              .count = {arrays, kRows},
                              .stride = {array_words, columns}};
  shape->contents.words = arrays * array_words;

  const int sizes[2] = {kRows, columns}, part[2] = {kRows, kColumns};
  const int start[2] = {0, run->rank * kColumns};
  MPI_Datatype* const types = malloc((size_t)arrays * sizeof *types);
  MPI_Aint* const places = malloc((size_t)arrays * sizeof *places);
  int* const ones = malloc((size_t)arrays * sizeof *ones);
  for (int64_t i = 0; i < arrays; ++i) {
    MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, &types[i]);
    places[i] = i * array_words * kWordBytes;
    ones[i] = 1;
  }
  MPI_Type_create_struct((int)arrays, ones, places, types, &shape->filetype);
  for (int64_t i = 0; i < arrays; ++i) MPI_Type_free(&types[i]);
  free(types), free(places), free(ones);
  return 1;
}

static int lattice(const struct run* run, const char* option, int64_t bytes, struct shape* shape) {
  (void)option;
  struct lattice* const l = &shape->lattice;
  l->site_words = 48;
  for (int d = 0; d < 4; ++d) l->grid[d] = 1;
  int d = 3, ranks = run->ranks;
  for (; ranks % 2 == 0; ranks /= 2, d = d == 0 ? 3 : d - 1) l->grid[d] *= 2;
  l->grid[0] *= ranks;
  const int64_t side = 16;
  for (int k = 1; k < 4; ++k) l->global[k] = side;
  const int64_t slice = side * side * side * l->site_words * kWordBytes;
  l->global[0] = at_least_one(bytes / slice / l->grid[0]) * l->grid[0];
  int sizes[5], part[5], start[5], rest = run->rank;
  for (int k = 3; k >= 0; --k) {
    l->coordinate[k] = rest % l->grid[k];
    rest /= l->grid[k];
    l->local[k] = l->global[k] / l->grid[k];
    l->start[k] = l->coordinate[k] * l->local[k];
    if (l->local[k] * l->grid[k] != l->global[k]) return 0;
    sizes[k] = (int)l->global[k], part[k] = (int)l->local[k], start[k] = (int)l->start[k];
  }
  sizes[4] = part[4] = (int)l->site_words, start[4] = 0;
  struct walk* const w = &shape->walk;
  int64_t stride = l->site_words;
  w->first = 0;
  w->depth = 3;
  w->run_words = l->local[3] * l->site_words;
  for (int k = 3; k >= 0; --k) {
    w->first += l->start[k] * stride;
    if (k < 3) w->count[k] = l->local[k], w->stride[k] = stride;
    stride *= l->global[k];
  }
  shape->contents.words = stride;
  MPI_Type_create_subarray(5, sizes, part, start, MPI_ORDER_C, MPI_INT, &shape->filetype);
  return 1;
}

static int slot_is_hole(const void* context, int64_t word) {
  const struct shape* const shape = context;
  const int64_t slot = word / 2;
  return (shape->owned_slots[slot / 64] >> (slot % 64) & 1) == 0;
}

static uint64_t next_random(uint64_t* state) {
  *state += 0x9E3779B97F4A7C15ull;
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// Slots of two words are dealt out in groups: in a group every rank has 64 places, shuffled.
static int irregular(const struct run* run, const char* option, int64_t bytes,
                     struct shape* shape) {
  enum { kEach = 64, kSlotWords = 2 };
  const int holes = strcmp(option, "half") == 0;
  if (!holes && strcmp(option, "dense") != 0) return 0;
  const int64_t group = (int64_t)kEach * run->ranks * (holes ? 2 : 1);
  const int64_t groups = at_least_one(bytes / (kSlotWords * kWordBytes) / run->ranks / kEach);
  const int64_t mine = groups * kEach;
  shape->contents.words = groups * group * kSlotWords;
  shape->owned_slots = calloc((size_t)(groups * group / 64 + 1), sizeof(uint64_t));
  if (holes) shape->contents.is_hole = slot_is_hole;
  int64_t* const starts = malloc((size_t)mine * sizeof *starts);
  MPI_Aint* const places = malloc((size_t)mine * sizeof *places);
  int64_t* const owner = malloc((size_t)group * sizeof *owner);
  uint64_t state = 20240101;
  int64_t found = 0;
  for (int64_t g = 0; g < groups; ++g) {
    for (int64_t s = 0; s < group; ++s) owner[s] = s / kEach;
    for (int64_t s = group - 1; s > 0; --s) {
      const int64_t other = (int64_t)(next_random(&state) % (uint64_t)(s + 1));
      const int64_t kept = owner[s];
      owner[s] = owner[other], owner[other] = kept;
    }
    for (int64_t s = 0; s < group; ++s) {
      const int64_t slot = g * group + s;
      if (owner[s] < run->ranks) shape->owned_slots[slot / 64] |= 1ull << (slot % 64);
      if (owner[s] != run->rank) continue;
      starts[found] = slot * kSlotWords;
      places[found++] = slot * kSlotWords * kWordBytes;
    }
  }
  shape->walk = (struct walk){.run_words = kSlotWords, .starts = starts, .start_count = mine};
  MPI_Type_create_hindexed_block((int)mine, kSlotWords, places, MPI_INT, &shape->filetype);
  free(places), free(owner);
  return 1;
}

static int word_is_hole(const void* context, int64_t word) {
  const struct shape* const shape = context;
  return word % shape->hole_period >= shape->hole_begin;
}

static int strided(const struct run* run, const char* option, int64_t bytes, struct shape* shape) {
  (void)option;
  enum { kPiece = 16, kStride = 32 };
  const int64_t pieces = at_least_one(bytes / kWordBytes / kPiece / run->ranks);
  shape->walk = (struct walk){.first = run->rank * pieces * kStride,
                              .run_words = kPiece,
                              .depth = 1,
                              .count = {pieces},
                              .stride = {kStride}};
  shape->contents.words = run->ranks * pieces * kStride;
  shape->contents.is_hole = word_is_hole;
  shape->hole_period = kStride, shape->hole_begin = kPiece;
  shape->displacement = run->rank * pieces * kStride * kWordBytes;
  MPI_Type_vector((int)pieces, kPiece, kStride, MPI_INT, &shape->filetype);
  return 1;
}

static const struct {
  const char* name;
  int (*make)(const struct run*, const char* option, int64_t bytes, struct shape*);
} kShapes[] = {
    {"cyclic", cyclic},   {"array2d", array2d},     {"appended", appended},
    {"lattice", lattice}, {"irregular", irregular}, {"strided", strided},
};

// The end of the chunk that starts at stream word `at`.
static int64_t chunk_end(const struct shape* shape, enum memory_kind kind, int64_t at) {
  const struct memory_side* const side = &shape->memory[kind];
  const int64_t words = stream_words(shape);
  const int last = kind == MEMORY_CONTIGUOUS || (kind == MEMORY_ONE_GAP && at > 0);
  return last || words - at <= side->chunk_words ? words : at + side->chunk_words;
}

// Types as an application would build them for its buffer.
static void make_memory(struct shape* shape, enum memory_kind kind) {
  struct memory_side* const side = &shape->memory[kind];
  const int64_t words = stream_words(shape);
  if (kind == MEMORY_CONTIGUOUS) {
    side->words = words;
    MPI_Type_contiguous((int)words, MPI_INT, &side->type);
  } else if (side->chunk_words > 0) {
    const int64_t most = words / side->chunk_words + 1;
    MPI_Aint* const places = malloc((size_t)most * sizeof *places);
    int* const lengths = malloc((size_t)most * sizeof *lengths);
    int chunks = 0;
    for (int64_t at = 0, end; at < words; at = end, ++chunks) {
      end = chunk_end(shape, kind, at);
      lengths[chunks] = (int)(end - at);
      places[chunks] = (at + chunks * side->gap_words) * kWordBytes;
    }
    side->words = words + (chunks - 1) * side->gap_words;
    MPI_Type_create_hindexed(chunks, lengths, places, MPI_INT, &side->type);
    free(places), free(lengths);
  } else {
    return;
  }
  MPI_Type_commit(&side->type);
}

int make_shape(const struct run* run, const char* name, int64_t bytes, struct shape* shape) {
  const size_t length = strcspn(name, ":");
  const char* const option = name[length] == ':' ? name + length + 1 : "";
  for (size_t i = 0; i < sizeof kShapes / sizeof *kShapes; ++i) {
    if (strlen(kShapes[i].name) != length || strncmp(kShapes[i].name, name, length) != 0) continue;
    memset(shape, 0, sizeof *shape);
    shape->contents.shape = shape;
    if (!kShapes[i].make(run, option, bytes, shape)) return 0;
    for (int kind = 0; kind < kMemoryKinds; ++kind) make_memory(shape, (enum memory_kind)kind);
    MPI_Type_commit(&shape->filetype);
    return 1;
  }
  return 0;
}

void free_shape(struct shape* shape) {
  MPI_Type_free(&shape->filetype);
  for (int kind = 0; kind < kMemoryKinds; ++kind)
    if (shape->memory[kind].words > 0) MPI_Type_free(&shape->memory[kind].type);
  free(shape->walk.starts);
  free(shape->owned_slots);
}

void stream_to_memory(const struct shape* shape, enum memory_kind kind, const uint32_t* stream,
                      uint32_t* memory) {
  const int64_t words = stream_words(shape), gap = shape->memory[kind].gap_words;
  for (int64_t at = 0, end; at < words; at = end) {
    end = chunk_end(shape, kind, at);
    memcpy(memory, stream + at, (size_t)(end - at) * kWordBytes);
    memory += end - at;
    for (int64_t w = 0; w < gap && end < words; ++w) *memory++ = kGap;
  }
}

int64_t memory_to_stream(const struct shape* shape, enum memory_kind kind, const uint32_t* memory,
                         uint32_t* stream) {
  const int64_t words = stream_words(shape), gap = shape->memory[kind].gap_words;
  int64_t changed = 0;
  for (int64_t at = 0, end; at < words; at = end) {
    end = chunk_end(shape, kind, at);
    memcpy(stream + at, memory, (size_t)(end - at) * kWordBytes);
    memory += end - at;
    for (int64_t w = 0; w < gap && end < words; ++w) changed += *memory++ != kGap;
  }
  return changed;
}
