#include "lattice_transpose.h"

#include <stdlib.h>
#include <string.h>

enum { kExtentBytes = 256 << 10, kSlabBytes = 1 << 20 };

static int64_t product(const int64_t* values, int from, int to) {
  int64_t result = 1;
  for (int d = from; d < to; ++d) result *= values[d];
  return result;
}

// The fewest dimensions whose joining makes a rank's contiguous parts of the file long enough.
static int choose_joined(const struct lattice* l) {
  for (int joined = 1; joined < 4; ++joined) {
    const int slow = 4 - joined;
    const int64_t words = product(l->global, slow, 4) * l->local[slow - 1] * l->site_words;
    if (words * kWordBytes >= kExtentBytes) return joined;
  }
  return 3;
}

static int64_t flatten(const int* coordinate, const int* grid, int from, int to) {
  int64_t index = 0;
  for (int d = from; d < to; ++d) index = index * grid[d] + coordinate[d];
  return index;
}

// Word of the whole cell where the block at these fast coordinates starts.
static int64_t block_start(const struct lattice* l, int slow, int64_t member) {
  int64_t start = 0, stride = l->site_words;
  for (int d = 3; d >= slow; --d) {
    start += member % l->grid[d] * l->local[d] * stride;
    member /= l->grid[d];
    stride *= l->global[d];
  }
  return start;
}

static int64_t row_start(const struct lattice* l, int slow, int64_t row) {
  int64_t start = 0, stride = l->site_words * l->global[3];
  for (int d = 2; d >= slow; --d) {
    start += row % l->local[d] * stride;
    row /= l->local[d];
    stride *= l->global[d];
  }
  return start;
}

static int64_t first_cell(const struct transposition* plan, int member) {
  return plan->cells * member / plan->members;
}

void plan_transposition(const struct lattice* lattice, int rank, struct transposition* plan) {
  memset(plan, 0, sizeof *plan);
  plan->lattice = *lattice;
  plan->joined = choose_joined(lattice);
  const int slow = 4 - plan->joined;
  MPI_Comm_split(MPI_COMM_WORLD, (int)flatten(lattice->coordinate, lattice->grid, 0, slow), rank,
                 &plan->row);
  MPI_Comm_rank(plan->row, &plan->place);
  MPI_Comm_size(plan->row, &plan->members);
  plan->cells = product(lattice->local, 0, slow);
  plan->cell_words = product(lattice->local, slow, 4) * lattice->site_words;
  plan->whole_words = product(lattice->global, slow, 4) * lattice->site_words;
  plan->row_words = lattice->local[3] * lattice->site_words;
  plan->rows = plan->cell_words / plan->row_words;
  plan->row_at = malloc((size_t)plan->rows * sizeof *plan->row_at);
  for (int64_t r = 0; r < plan->rows; ++r) plan->row_at[r] = row_start(lattice, slow, r);

  const size_t members = (size_t)plan->members;
  plan->member_at = malloc(members * sizeof *plan->member_at);
  plan->send_bytes = malloc(4 * members * sizeof *plan->send_bytes);
  plan->send_at = plan->send_bytes + members;
  plan->receive_bytes = plan->send_at + members;
  plan->receive_at = plan->receive_bytes + members;
  const int64_t mine = first_cell(plan, plan->place + 1) - first_cell(plan, plan->place);
  for (int m = 0; m < plan->members; ++m) {
    const int64_t cell_bytes = plan->cell_words * kWordBytes;
    plan->member_at[m] = block_start(lattice, slow, m);
    plan->send_at[m] = (int)(first_cell(plan, m) * cell_bytes);
    plan->send_bytes[m] = (int)((first_cell(plan, m + 1) - first_cell(plan, m)) * cell_bytes);
    plan->receive_at[m] = (int)(m * mine * cell_bytes);
    plan->receive_bytes[m] = (int)(mine * cell_bytes);
  }
  plan->slab_cells = kSlabBytes / (plan->whole_words * kWordBytes);
  if (plan->slab_cells < 1) plan->slab_cells = 1;
  const size_t traded_bytes = (size_t)(mine * plan->members * plan->cell_words * kWordBytes);
  plan->traded = malloc(traded_bytes + 1);
  plan->slab = malloc((size_t)(plan->slab_cells * plan->whole_words * kWordBytes));
  memset(plan->traded, 0, traded_bytes);
  memset(plan->slab, 0, (size_t)(plan->slab_cells * plan->whole_words * kWordBytes));
}

void free_transposition(struct transposition* plan) {
  MPI_Comm_free(&plan->row);
  free(plan->row_at), free(plan->member_at), free(plan->send_bytes), free(plan->traded),
      free(plan->slab);
}

// Byte offset in the file of the whole cell that holds local cell `cell`.
static int64_t cell_offset(const struct transposition* plan, int64_t cell) {
  const struct lattice* const l = &plan->lattice;
  int64_t index = 0, scale = 1;
  for (int d = 3 - plan->joined; d >= 0; --d) {
    index += (l->start[d] + cell % l->local[d]) * scale;
    cell /= l->local[d];
    scale *= l->global[d];
  }
  return index * plan->whole_words * kWordBytes;
}

// Cells from `cell` on that lie behind each other in the file and fit in the slab.
static int64_t contiguous_cells(const struct transposition* plan, int64_t cell, int64_t end) {
  int64_t count = 1;
  while (count < plan->slab_cells && cell + count < end &&
         cell_offset(plan, cell + count) ==
             cell_offset(plan, cell + count - 1) + plan->whole_words * kWordBytes)
    ++count;
  return count;
}

enum way { GATHER, SCATTER };

// Copies one cell between its parts as they were traded and the whole.
static void assemble(const struct transposition* plan, int64_t cell, uint32_t* whole,
                     enum way way) {
  const int64_t first = first_cell(plan, plan->place);
  const int64_t mine = first_cell(plan, plan->place + 1) - first;
  for (int m = 0; m < plan->members; ++m) {
    uint32_t* part = plan->traded + (m * mine + cell - first) * plan->cell_words;
    uint32_t* const origin = whole + plan->member_at[m];
    for (int64_t r = 0; r < plan->rows; ++r, part += plan->row_words) {
      uint32_t* const row = origin + plan->row_at[r];
      if (way == GATHER)
        memcpy(row, part, (size_t)plan->row_words * kWordBytes);
      else
        memcpy(part, row, (size_t)plan->row_words * kWordBytes);
    }
  }
}

void transpose_and_write(const struct run* run, struct transposition* plan, int fd,
                         uint32_t* local) {
  MPI_Alltoallv(local, plan->send_bytes, plan->send_at, MPI_BYTE, plan->traded, plan->receive_bytes,
                plan->receive_at, MPI_BYTE, plan->row);
  const int64_t end = first_cell(plan, plan->place + 1);
  for (int64_t cell = first_cell(plan, plan->place), count; cell < end; cell += count) {
    count = contiguous_cells(plan, cell, end);
    for (int64_t i = 0; i < count; ++i)
      assemble(plan, cell + i, plan->slab + i * plan->whole_words, GATHER);
    write_fully(run, fd, plan->slab, count * plan->whole_words * kWordBytes,
                cell_offset(plan, cell));
  }
}

void read_and_transpose(const struct run* run, struct transposition* plan, int fd,
                        uint32_t* local) {
  const int64_t end = first_cell(plan, plan->place + 1);
  for (int64_t cell = first_cell(plan, plan->place), count; cell < end; cell += count) {
    count = contiguous_cells(plan, cell, end);
    read_fully(run, fd, plan->slab, count * plan->whole_words * kWordBytes,
               cell_offset(plan, cell));
    for (int64_t i = 0; i < count; ++i)
      assemble(plan, cell + i, plan->slab + i * plan->whole_words, SCATTER);
  }
  MPI_Alltoallv(plan->traded, plan->receive_bytes, plan->receive_at, MPI_BYTE, local,
                plan->send_bytes, plan->send_at, MPI_BYTE, plan->row);
}
