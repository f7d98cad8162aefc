// Access shapes: who owns which words of a file, as the MPI datatypes an application would build
// and, apart from them, as a Walk for checking.
#ifndef BENCH_SHAPE_H
#define BENCH_SHAPE_H

#include <mpi.h>
#include <stdint.h>

#include "words.h"

// Where the stream lies in memory: without gaps, with one gap after the first chunk, or with a gap
// after every chunk. Only shapes that have chunks offer the last two.
enum memory_kind { MEMORY_CONTIGUOUS = 0, MEMORY_ONE_GAP = 1, MEMORY_GAPS = 2, kMemoryKinds = 3 };

struct memory_side {
  int64_t chunk_words, gap_words;
  int64_t words;      // extent of the stream in memory; 0: not offered
  MPI_Datatype type;  // one of it is the rank's whole stream
};

// A block-decomposed 4-D array, slowest dimension first; what the hand-written exchange needs.
struct lattice {
  int64_t global[4], local[4], start[4];
  int grid[4], coordinate[4];
  int64_t site_words;
};

struct shape {
  struct walk walk;          // this rank's words in stream order
  struct contents contents;  // the whole file
  struct memory_side memory[kMemoryKinds];
  MPI_Offset displacement;  // the view: displacement, MPI_INT, filetype
  MPI_Datatype filetype;
  struct lattice lattice;           // site_words 0: not a lattice
  int64_t hole_period, hole_begin;  // words of each period from hole_begin on are holes
  uint64_t* owned_slots;            // irregular: bitmap of pieces somebody owns
};

// Collective. Shapes, with about `bytes` of data on all ranks together:
//   cyclic:B          blocks of B words, dealt out to the ranks in turn (MPI_Type_vector)
//   array2d           a square array on a grid of ranks (MPI_Type_create_subarray)
//   appended          columns of many small arrays, one array behind the other (a struct of
//                     subarrays), 16-byte pieces; an array's part is a chunk in memory, gaps of 16
//                     bytes
//   lattice           a 4-D array of 192-byte sites, decomposed in the fastest dimensions first
//   irregular:dense   8-byte pieces dealt out at random (MPI_Type_create_hindexed_block), without
//   irregular:half    holes or with as many holes as pieces
//   strided           64-byte pieces with 64-byte holes, every rank in a region of its own
// Returns 0 when the name means nothing.
int make_shape(const struct run* run, const char* name, int64_t bytes, struct shape* shape);
void free_shape(struct shape* shape);

static inline int64_t stream_words(const struct shape* shape) { return walk_words(&shape->walk); }

// Local. Between the packed stream and memory; gaps hold kGap.
enum { kGap = 0x5A5A5A5A };
void stream_to_memory(const struct shape* shape, enum memory_kind kind, const uint32_t* stream,
                      uint32_t* memory);
// Returns the number of gap words that changed.
int64_t memory_to_stream(const struct shape* shape, enum memory_kind kind, const uint32_t* memory,
                         uint32_t* stream);

#endif
