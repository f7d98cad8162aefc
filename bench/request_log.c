#include "request_log.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kMostNodes = 64, kMostProcesses = 256 };

struct node {
  long long requests, bytes, backward, apart, reached;
  long long processes[kMostProcesses];
  int process_count;
};

// Rank 0. Null where there is none; the caller frees it.
static char* log_path(const struct run* run) {
  static const char kPrefix[] = "striped:", kSuffix[] = ".stripes/log";
  if (strncmp(run->path, kPrefix, sizeof kPrefix - 1) != 0) return NULL;
  const char* const path = run->path + sizeof kPrefix - 1;
  char* const log = malloc(strlen(path) + sizeof kSuffix);
  strcpy(log, path);
  strcat(log, kSuffix);
  return log;
}

int begin_log(const struct run* run, MPI_Info info) {
  int made = 0;
  MPI_File file;
  // The folder of the log comes with the file.
  if (strncmp(run->path, "striped:", 8) == 0 &&
      MPI_File_open(MPI_COMM_WORLD, run->path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file) ==
          MPI_SUCCESS)
    MPI_File_close(&file);
  if (run->rank == 0) {
    char* const path = log_path(run);
    FILE* const log = path == NULL ? NULL : fopen(path, "w");
    made = log != NULL;
    if (made) fclose(log);
    free(path);
  }
  MPI_Bcast(&made, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return made;
}

static void note_process(struct node* node, long long process) {
  for (int i = 0; i < node->process_count; ++i)
    if (node->processes[i] == process) return;
  if (node->process_count < kMostProcesses) node->processes[node->process_count++] = process;
}

static int read_log(const char* path, char direction, struct node* nodes) {
  FILE* const log = fopen(path, "r");
  if (log == NULL) return 0;
  long long process, component, offset, bytes;
  char kind;
  int count = 0;
  while (fscanf(log, "%lld %lld %c %lld %lld", &process, &component, &kind, &offset, &bytes) == 5) {
    if (component < 0 || component >= kMostNodes || kind != direction) continue;
    struct node* const node = &nodes[component];
    if (component >= count) count = (int)component + 1;
    if (node->requests++ > 0) {
      node->backward += offset < node->reached;
      node->apart += offset > node->reached;
    }
    node->reached = offset + bytes;
    node->bytes += bytes;
    note_process(node, process);
  }
  fclose(log);
  return count;
}

void end_log(const struct run* run, const char* case_name, const char* contestant, const char* op) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (run->rank == 0) {
    char* const path = log_path(run);
    struct node* const nodes = calloc(kMostNodes, sizeof *nodes);
    const int count = read_log(path, op[0], nodes);
    for (int i = 0; i < count; ++i)
      record(
          run,
          "{\"type\":\"requests\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\",\"node\":%d,"
          "\"requests\":%lld,\"bytes\":%lld,\"processes\":%d,\"backward\":%lld,\"apart\":%lld}",
          case_name, contestant, op, i, nodes[i].requests, nodes[i].bytes, nodes[i].process_count,
          nodes[i].backward, nodes[i].apart);
    unlink(path);
    free(nodes);
    free(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}
