// Who is measured: Tutti (the MPI_File_* functions as the program sees them, with the preload in
// front) and the host's own MPI-IO behind it, both in one process and in turn; Block I/O, the same
// bytes written contiguously and unordered; a hand-written exchange where the shape has one.
#ifndef BENCH_CONTESTANT_H
#define BENCH_CONTESTANT_H

#include <mpi.h>

#include "lattice_transpose.h"
#include "report.h"
#include "shape.h"

enum kind { KIND_TUTTI, KIND_HOST, KIND_BLOCK, KIND_TRANSPOSE };

// 0 many independent contiguous calls, 1 many collective contiguous, 2 one independent
// noncontiguous, 3 one collective noncontiguous; 4 and 5 the same as 3 by a nonblocking call and
// its MPI_Wait, and by a split collective.
enum level {
  LEVEL_MANY = 0,
  LEVEL_MANY_ALL = 1,
  LEVEL_ONE = 2,
  LEVEL_ONE_ALL = 3,
  LEVEL_ONE_STARTED = 4,
  LEVEL_ONE_SPLIT = 5
};

enum direction { WRITE = 0, READ = 1 };

struct file_calls;

struct contestant {
  char name[64];
  enum kind kind;
  enum level level;
  enum memory_kind memory;
  MPI_Info info;
  const struct file_calls* calls;
  // while a shape is open
  MPI_File file;
  int fd;
  struct transposition transposition;
};

struct opening {
  double open_seconds, view_seconds;
};

// Local. The functions of Tutti or of the host. NULL when Tutti is not in front of the host.
const struct file_calls* tutti_calls(void);
const struct file_calls* host_calls(void);

// Local. "NAME|KIND|LEVEL|MEMORY|hint=value;hint=value": tutti, host, block or transpose; a digit;
// 0 contiguous, 1 one gap, 2 gaps. Returns 0 when it cannot be read or its functions are not there.
int parse_contestant(const char* text, struct contestant* contestant);
void free_contestant(struct contestant* contestant);

// Whether the contestant can do this shape at all.
int takes_part(const struct contestant* contestant, const struct shape* shape);

// Collective. Opens the existing file and sets the view. Errors as MPI error codes.
int open_shape(const struct run* run, struct contestant* contestant, const struct shape* shape,
               struct opening* opening);
void close_shape(struct contestant* contestant);

// Collective. The access itself, on memory of the contestant's kind. Errors as MPI error codes.
int access_shape(const struct run* run, struct contestant* contestant, const struct shape* shape,
                 enum direction direction, uint32_t* memory);

// Local. Calls `visit` with every key that starts with tutti_stat_ and its number.
typedef void (*stat_visitor)(void* context, const char* key, double value);
void visit_stats(struct contestant* contestant, stat_visitor visit, void* context);

// Collective. Time and heap bytes that setting this view takes on a file opened for it.
struct view_cost {
  double seconds;
  int64_t heap_bytes, resident_bytes;
};
int measure_view(const struct run* run, struct contestant* contestant, MPI_Datatype filetype,
                 struct view_cost* cost);

#endif
