// What MPI_File_set_view costs, in time and in memory, with large datatypes.
//
//   view_cost --file F --records R [--limit S] [--skip CASE|CONTESTANT|view]… --contestant SPEC…
//   CASE…
//
// Cases: vector:N   MPI_Type_vector of N 4-byte blocks, every fourth word
//        indexed:N  MPI_Type_indexed that spells out N such blocks one by one
// Each repetition makes a new datatype, since a library may keep what it found on the type.
#include <getopt.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"
#include "report.h"

enum { kMaxContestants = 8, kRepetitions = 3, kStrideWords = 4 };

static int make_type(const char* name, MPI_Datatype* type) {
  const char* const colon = strchr(name, ':');
  const int blocks = colon != NULL ? atoi(colon + 1) : 0;
  if (blocks < 1) return 0;
  if (strncmp(name, "vector", 6) == 0) {
    MPI_Type_vector(blocks, 1, kStrideWords, MPI_INT, type);
  } else if (strncmp(name, "indexed", 7) == 0) {
    int* const lengths = malloc(2 * (size_t)blocks * sizeof *lengths);
    int* const places = lengths + blocks;
    for (int i = 0; i < blocks; ++i) lengths[i] = 1, places[i] = i * kStrideWords;
    MPI_Type_indexed(blocks, lengths, places, MPI_INT, type);
    free(lengths);
  } else {
    return 0;
  }
  MPI_Type_commit(type);
  return 1;
}

static void measure_case(const struct run* run, struct contestant* c, const char* name) {
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    MPI_Datatype type;
    struct view_cost cost;
    if (!make_type(name, &type)) give_up(run, "no such case: %s", name);
    record(run, "{\"type\":\"begin\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"view\"}", name,
           c->name);
    watch(run);
    const int code = measure_view(run, c, type, &cost);
    unwatch();
    MPI_Type_free(&type);
    if (code != MPI_SUCCESS) give_up(run, "%s: set_view failed", c->name);
    record(run,
           "{\"type\":\"view\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"view\","
           "\"repetition\":%d,"
           "\"seconds\":%.9f,\"heap_bytes\":%lld,\"resident_bytes\":%lld}",
           name, c->name, repetition, cost.seconds, (long long)cost.heap_bytes,
           (long long)cost.resident_bytes);
  }
}

int main(int argc, char** argv) {
  static const struct option kOptions[] = {{"file", 1, NULL, 'f'},       {"records", 1, NULL, 'r'},
                                           {"limit", 1, NULL, 'l'},      {"skip", 1, NULL, 's'},
                                           {"contestant", 1, NULL, 'c'}, {NULL, 0, NULL, 0}};
  struct run run = {.limit_seconds = 60};
  struct contestant contestants[kMaxContestants];
  struct skips skips = {.count = 0};
  const char* records = "/dev/stdout";
  int count = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  for (int option; (option = getopt_long(argc, argv, "", kOptions, NULL)) != -1;) {
    if (option == 'f')
      run.path = optarg;
    else if (option == 'r')
      records = optarg;
    else if (option == 'l')
      run.limit_seconds = atof(optarg);
    else if (option == 's')
      add_skip(&skips, optarg);
    else if (option != 'c' || count == kMaxContestants ||
             !parse_contestant(optarg, &contestants[count++]))
      give_up(&run, "wrong arguments (is Tutti preloaded?)");
  }
  if (run.path == NULL) give_up(&run, "--file is missing");
  if (run.rank == 0 && (run.records = fopen(records, "a")) == NULL)
    give_up(&run, "cannot write %s", records);
  for (int i = optind; i < argc; ++i) {
    for (int k = 0; k < count; ++k) {
      if (!is_skipped(&skips, argv[i], contestants[k].name, "view"))
        measure_case(&run, &contestants[k], argv[i]);
    }
    record(&run, "{\"type\":\"finished\",\"case\":\"%s\"}", argv[i]);
  }
  record(&run, "{\"type\":\"done\",\"wrong_words\":0}");
  MPI_Finalize();
  return 0;
}
