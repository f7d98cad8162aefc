// What a user writes by hand when MPI-IO is too slow for a block-decomposed array: the ranks that
// share rows of the file trade blocks with one MPI_Alltoallv, so that each of them holds whole
// slabs, which it then writes with plain pwrite; and the reverse.
#ifndef BENCH_LATTICE_TRANSPOSE_H
#define BENCH_LATTICE_TRANSPOSE_H

#include <mpi.h>
#include <stdint.h>

#include "report.h"
#include "shape.h"

struct transposition {
  struct lattice lattice;
  int joined;               // this many fastest dimensions become whole
  MPI_Comm row;             // the ranks that differ only in those dimensions
  int place, members;       // in the row
  int64_t cells;            // local points of the slow dimensions
  int64_t cell_words;       // words of one rank in a cell
  int64_t whole_words;      // words of all ranks in a cell
  int64_t rows, row_words;  // contiguous parts of a rank's cell
  int64_t* row_at;          // where they lie in the whole cell, for the rank at the origin
  int64_t* member_at;       // how far a member's part is from that
  int64_t slab_cells;       // cells that fit in `slab`
  int *send_bytes, *send_at, *receive_bytes, *receive_at;
  uint32_t *traded, *slab;
};

// Collective. Buffers and counts are made once, as an application would.
void plan_transposition(const struct lattice* lattice, int rank, struct transposition* plan);
void free_transposition(struct transposition* plan);

// Collective. `local` is the rank's block in its own order.
void transpose_and_write(const struct run* run, struct transposition* plan, int fd,
                         uint32_t* local);
void read_and_transpose(const struct run* run, struct transposition* plan, int fd, uint32_t* local);

#endif
