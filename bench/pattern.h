// The access patterns of the programs that resonant I/O was measured with, as numbers of one
// generator: in each of `calls` calls a rank accesses blocks in up to three nested loops, and the
// whole moves on by `advance`. All ranks together leave no hole.
#ifndef BENCH_PATTERN_H
#define BENCH_PATTERN_H

#include <mpi.h>
#include <stdint.h>

#include "report.h"

enum { kMaxLoops = 3 };

// Bytes, all multiples of a word.
struct pattern {
  int64_t first, block;
  int loops;  // around the block, outermost first
  int64_t count[kMaxLoops], stride[kMaxLoops];
  int64_t calls, advance;
  int64_t file_bytes;
};

// Local. NAME:N with about `bytes` in the file:
//   demo:S         call c: segments i, i+P, i+2P, i+3P of S bytes of the next 4P segments
//   mpi-io-test:S  call c: segment i of the next P
//   ior:S          every rank has its own P-th part of the file, and takes S bytes of it in a call
//   noncontig:E    columns of E 4-byte elements, P in a row; a call moves 16 MiB
//   hpio:R         4096 regions of R bytes without spacing, dealt out in turn, in one call
//   coll-perf:N    an array of N^3 4-byte elements, distributed in blocks, in one call
// Returns 0 when the name means nothing.
int make_pattern(const struct run* run, const char* name, int64_t bytes, struct pattern* pattern);

// Local. Bytes and blocks of one rank in one call.
int64_t call_bytes(const struct pattern* pattern);
int64_t call_blocks(const struct pattern* pattern);
// Local. Where a block of a call begins in the file.
int64_t block_offset(const struct pattern* pattern, int64_t call, int64_t block);

// Local. One call as a file type whose extent is `advance`, so that the next call is the next tile.
MPI_Datatype pattern_type(const struct pattern* pattern);

#endif
