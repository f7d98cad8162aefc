#define _GNU_SOURCE
#include "contestant.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory_use.h"

#define FILE_CALLS(X)                                                                    \
  X(open, (MPI_Comm, const char*, int, MPI_Info, MPI_File*))                             \
  X(close, (MPI_File*))                                                                  \
  X(set_view, (MPI_File, MPI_Offset, MPI_Datatype, MPI_Datatype, const char*, MPI_Info)) \
  X(get_info, (MPI_File, MPI_Info*))                                                     \
  X(write_at_all, (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Status*))   \
  X(read_at_all, (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*))          \
  X(write_at, (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Status*))       \
  X(read_at, (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Status*))              \
  X(iwrite_at_all, (MPI_File, MPI_Offset, const void*, int, MPI_Datatype, MPI_Request*)) \
  X(iread_at_all, (MPI_File, MPI_Offset, void*, int, MPI_Datatype, MPI_Request*))        \
  X(write_at_all_begin, (MPI_File, MPI_Offset, const void*, int, MPI_Datatype))          \
  X(read_at_all_begin, (MPI_File, MPI_Offset, void*, int, MPI_Datatype))                 \
  X(write_at_all_end, (MPI_File, const void*, MPI_Status*))                              \
  X(read_at_all_end, (MPI_File, void*, MPI_Status*))

struct file_calls {
#define MEMBER(name, arguments) int(*name) arguments;
  FILE_CALLS(MEMBER)
#undef MEMBER
};

static int keep_host_path(struct dl_phdr_info* object, size_t size, void* out) {
  (void)size;
  const char* const slash = strrchr(object->dlpi_name, '/');
  const char* const name = slash != NULL ? slash + 1 : object->dlpi_name;
  if (strncmp(name, "libmpi.so", 9) != 0 && strncmp(name, "libmpich.so", 11) != 0) return 0;
  snprintf(out, 4096, "%s", object->dlpi_name);
  return 1;
}

const struct file_calls* host_calls(void) {
  static struct file_calls calls;
  if (calls.open != NULL) return &calls;
  char path[4096] = "";
  dl_iterate_phdr(keep_host_path, path);
  void* const library = *path != '\0' ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  if (library == NULL) return NULL;
#define LOOK_UP(name, arguments) *(void**)&calls.name = dlsym(library, "PMPI_File_" #name);
  FILE_CALLS(LOOK_UP)
#undef LOOK_UP
  return calls.open != NULL ? &calls : NULL;
}

const struct file_calls* tutti_calls(void) {
  static struct file_calls calls;
#define TAKE(name, arguments) *(void**)&calls.name = dlsym(RTLD_DEFAULT, "MPI_File_" #name);
  FILE_CALLS(TAKE)
#undef TAKE
  Dl_info where;
  if (dladdr(*(void**)&calls.open, &where) == 0) return NULL;
  return strstr(where.dli_fname, "libtutti") != NULL ? &calls : NULL;
}

static void add_hint(MPI_Info* info, char* pair) {
  char* const equals = strchr(pair, '=');
  if (equals == NULL) return;
  *equals = '\0';
  if (*info == MPI_INFO_NULL) MPI_Info_create(info);
  MPI_Info_set(*info, pair, equals + 1);
}

int parse_contestant(const char* text, struct contestant* contestant) {
  char copy[512], *rest = copy;
  snprintf(copy, sizeof copy, "%s", text);
  const char* const name = strsep(&rest, "|");
  const char* const kind = strsep(&rest, "|");
  const char* const level = strsep(&rest, "|");
  const char* const memory = strsep(&rest, "|");
  if (memory == NULL || *memory < '0' || *memory > '2' || *level < '0' || *level > '5') return 0;
  memset(contestant, 0, sizeof *contestant);
  snprintf(contestant->name, sizeof contestant->name, "%s", name);
  contestant->level = (enum level)(*level - '0');
  contestant->memory = (enum memory_kind)(*memory - '0');
  contestant->info = MPI_INFO_NULL;
  contestant->fd = -1;
  for (char* pair; (pair = strsep(&rest, ";")) != NULL;) add_hint(&contestant->info, pair);
  if (strcmp(kind, "block") == 0) return contestant->kind = KIND_BLOCK, 1;
  if (strcmp(kind, "transpose") == 0) return contestant->kind = KIND_TRANSPOSE, 1;
  if (strcmp(kind, "tutti") != 0 && strcmp(kind, "host") != 0) return 0;
  contestant->kind = strcmp(kind, "tutti") == 0 ? KIND_TUTTI : KIND_HOST;
  contestant->calls = contestant->kind == KIND_TUTTI ? tutti_calls() : host_calls();
  return contestant->calls != NULL;
}

void free_contestant(struct contestant* contestant) {
  if (contestant->info != MPI_INFO_NULL) MPI_Info_free(&contestant->info);
}

int takes_part(const struct contestant* contestant, const struct shape* shape) {
  if (shape->memory[contestant->memory].words == 0) return 0;
  return contestant->kind != KIND_TRANSPOSE || shape->lattice.site_words > 0;
}

static double since_barrier(double begin) {
  MPI_Barrier(MPI_COMM_WORLD);
  return slowest(MPI_Wtime() - begin);
}

static double begin_after_barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

int open_shape(const struct run* run, struct contestant* c, const struct shape* shape,
               struct opening* opening) {
  *opening = (struct opening){0, 0};
  double begin = begin_after_barrier();
  if (c->kind == KIND_BLOCK || c->kind == KIND_TRANSPOSE) {
    c->fd = open(run->path, O_RDWR);
    if (c->fd < 0) return MPI_ERR_FILE;
    if (c->kind == KIND_TRANSPOSE)
      plan_transposition(&shape->lattice, run->rank, &c->transposition);
    opening->open_seconds = since_barrier(begin);
    return MPI_SUCCESS;
  }
  int code = c->calls->open(MPI_COMM_WORLD, run->path, MPI_MODE_RDWR, c->info, &c->file);
  opening->open_seconds = since_barrier(begin);
  if (code != MPI_SUCCESS) return code;
  begin = begin_after_barrier();
  const int whole = c->level >= LEVEL_ONE;
  code = c->calls->set_view(c->file, whole ? shape->displacement : 0, MPI_INT,
                            whole ? shape->filetype : MPI_INT, "native", c->info);
  opening->view_seconds = since_barrier(begin);
  return code;
}

void close_shape(struct contestant* c) {
  if (c->kind == KIND_TRANSPOSE) free_transposition(&c->transposition);
  if (c->fd >= 0)
    close(c->fd);
  else
    c->calls->close(&c->file);
  c->fd = -1;
}

// Every rank's stream behind the one of the rank before.
static void access_block(const struct run* run, const struct contestant* c,
                         const struct shape* shape, enum direction direction, uint32_t* memory) {
  const int64_t bytes = stream_words(shape) * kWordBytes;
  if (direction == WRITE)
    write_fully(run, c->fd, memory, bytes, run->rank * bytes);
  else
    read_fully(run, c->fd, memory, bytes, run->rank * bytes);
}

static int checked(int code, MPI_Status* status, MPI_Datatype type, int wanted) {
  int count = -1;
  if (code == MPI_SUCCESS) MPI_Get_count(status, type, &count);
  return code != MPI_SUCCESS || count == wanted ? code : MPI_ERR_IO;
}

static int access_runs(const struct contestant* c, const struct shape* shape,
                       enum direction direction, uint32_t* memory) {
  const int64_t runs = walk_runs(&shape->walk);
  const int words = (int)shape->walk.run_words;
  for (int64_t i = 0; i < runs; ++i, memory += words) {
    const MPI_Offset at = walk_run_start(&shape->walk, i);
    MPI_Status status;
    int code;
    if (direction == WRITE)
      code = c->level == LEVEL_MANY
                 ? c->calls->write_at(c->file, at, memory, words, MPI_INT, &status)
                 : c->calls->write_at_all(c->file, at, memory, words, MPI_INT, &status);
    else
      code = c->level == LEVEL_MANY
                 ? c->calls->read_at(c->file, at, memory, words, MPI_INT, &status)
                 : c->calls->read_at_all(c->file, at, memory, words, MPI_INT, &status);
    code = checked(code, &status, MPI_INT, words);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

static int write_once(struct contestant* c, uint32_t* memory, MPI_Datatype type,
                      MPI_Status* status) {
  MPI_Request request;
  int code;
  if (c->level == LEVEL_ONE) return c->calls->write_at(c->file, 0, memory, 1, type, status);
  if (c->level == LEVEL_ONE_ALL) return c->calls->write_at_all(c->file, 0, memory, 1, type, status);
  if (c->level == LEVEL_ONE_STARTED) {
    code = c->calls->iwrite_at_all(c->file, 0, memory, 1, type, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, status) : code;
  }
  code = c->calls->write_at_all_begin(c->file, 0, memory, 1, type);
  return code == MPI_SUCCESS ? c->calls->write_at_all_end(c->file, memory, status) : code;
}

static int read_once(struct contestant* c, uint32_t* memory, MPI_Datatype type,
                     MPI_Status* status) {
  MPI_Request request;
  int code;
  if (c->level == LEVEL_ONE) return c->calls->read_at(c->file, 0, memory, 1, type, status);
  if (c->level == LEVEL_ONE_ALL) return c->calls->read_at_all(c->file, 0, memory, 1, type, status);
  if (c->level == LEVEL_ONE_STARTED) {
    code = c->calls->iread_at_all(c->file, 0, memory, 1, type, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, status) : code;
  }
  code = c->calls->read_at_all_begin(c->file, 0, memory, 1, type);
  return code == MPI_SUCCESS ? c->calls->read_at_all_end(c->file, memory, status) : code;
}

int access_shape(const struct run* run, struct contestant* c, const struct shape* shape,
                 enum direction direction, uint32_t* memory) {
  if (c->kind == KIND_BLOCK) return access_block(run, c, shape, direction, memory), MPI_SUCCESS;
  if (c->kind == KIND_TRANSPOSE) {
    if (direction == WRITE)
      transpose_and_write(run, &c->transposition, c->fd, memory);
    else
      read_and_transpose(run, &c->transposition, c->fd, memory);
    return MPI_SUCCESS;
  }
  if (c->level == LEVEL_MANY || c->level == LEVEL_MANY_ALL)
    return access_runs(c, shape, direction, memory);
  const MPI_Datatype type = shape->memory[c->memory].type;
  MPI_Status status;
  const int code = direction == WRITE ? write_once(c, memory, type, &status)
                                      : read_once(c, memory, type, &status);
  return checked(code, &status, type, 1);
}

void visit_stats(struct contestant* c, stat_visitor visit, void* context) {
  MPI_Info info;
  if (c->kind != KIND_TUTTI || c->calls->get_info(c->file, &info) != MPI_SUCCESS) return;
  int keys = 0;
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY + 1], value[64];
    int found = 0;
    MPI_Info_get_nthkey(info, i, key);
    if (strncmp(key, "tutti_stat_", 11) != 0) continue;
    MPI_Info_get(info, key, (int)sizeof value - 1, value, &found);
    if (found) visit(context, key + 11, atof(value));
  }
  MPI_Info_free(&info);
}

int measure_view(const struct run* run, struct contestant* c, MPI_Datatype filetype,
                 struct view_cost* cost) {
  int code =
      c->calls->open(MPI_COMM_WORLD, run->path, MPI_MODE_RDWR | MPI_MODE_CREATE, c->info, &c->file);
  if (code != MPI_SUCCESS) return code;
  const int64_t heap = heap_bytes(), resident = resident_bytes();
  const double begin = begin_after_barrier();
  code = c->calls->set_view(c->file, 0, MPI_INT, filetype, "native", MPI_INFO_NULL);
  cost->seconds = since_barrier(begin);
  cost->heap_bytes = max_over_ranks(heap_bytes() - heap);
  cost->resident_bytes = max_over_ranks(resident_bytes() - resident);
  c->calls->close(&c->file);
  return code;
}
