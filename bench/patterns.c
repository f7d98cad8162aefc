// Runs the access patterns of pattern.h with several contestants in turn, on any of Tutti's
// devices, and checks every byte. On a striped file the first repetition is logged, not timed: its
// requests are counted for each I/O node.
//
//   patterns --file NAME --records R [--bytes N] [--repetitions N] [--limit S] [--flush]
//            [--sync] [--skip CASE|CONTESTANT|OP]… --contestant SPEC… CASE…
//
// A contestant of level 3 makes collective calls, one of level 0 one independent call for each
// block. Time is from each call's barrier to the one behind it. With --sync writes end with
// MPI_File_sync, in their time, so that nobody is measured with bytes left in a cache.
#include <getopt.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "contestant.h"
#include "pattern.h"
#include "request_log.h"
#include "words.h"

enum { kMost = 16 };
static const char* const kOps[2] = {"write", "read"};

struct bench {
  struct run run;
  int64_t bytes;
  int repetitions, flush, sync;
  struct skips skips;
  struct contestant contestants[kMost];
  int contestant_count;
  const char* case_name;
  struct pattern pattern;
  uint32_t* buffer;  // of one call
  uint32_t salt, writes;
  int64_t wrong;
};

static void must(const struct bench* b, int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  give_up(&b->run, "%s: %s: %s", b->case_name, what, text);
}

static void fill_call(const struct bench* b, int64_t call) {
  const int64_t words = b->pattern.block / kWordBytes;
  uint32_t* at = b->buffer;
  for (int64_t i = 0; i < call_blocks(&b->pattern); ++i) {
    const int64_t first = block_offset(&b->pattern, call, i) / kWordBytes;
    for (int64_t w = 0; w < words; ++w) *at++ = word_value(first + w, b->salt);
  }
}

static int64_t check_call(const struct bench* b, int64_t call) {
  const int64_t words = b->pattern.block / kWordBytes;
  const uint32_t* at = b->buffer;
  int64_t wrong = 0;
  for (int64_t i = 0; i < call_blocks(&b->pattern); ++i) {
    const int64_t first = block_offset(&b->pattern, call, i) / kWordBytes;
    for (int64_t w = 0; w < words; ++w) wrong += *at++ != word_value(first + w, b->salt);
  }
  return wrong;
}

static MPI_File open_file(const struct bench* b, MPI_Info info) {
  MPI_File file;
  must(b, MPI_File_open(MPI_COMM_WORLD, b->run.path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file),
       "open");
  return file;
}

// One call of a contestant, on the view that was set before.
static void one_call(const struct bench* b, const struct contestant* c, MPI_File file,
                     enum direction direction) {
  const int collective = c->level == LEVEL_ONE_ALL;
  const int64_t times = collective ? 1 : call_blocks(&b->pattern);
  const int words = (int)(call_bytes(&b->pattern) / kWordBytes / times);
  for (int64_t i = 0; i < times; ++i) {
    uint32_t* const memory = b->buffer + i * words;
    int code;
    if (direction == WRITE)
      code = collective ? MPI_File_write_all(file, memory, words, MPI_INT, MPI_STATUS_IGNORE)
                        : MPI_File_write(file, memory, words, MPI_INT, MPI_STATUS_IGNORE);
    else
      code = collective ? MPI_File_read_all(file, memory, words, MPI_INT, MPI_STATUS_IGNORE)
                        : MPI_File_read(file, memory, words, MPI_INT, MPI_STATUS_IGNORE);
    must(b, code, kOps[direction]);
  }
}

// What somebody else has written is on storage, and no longer in this machine's memory.
static void flush_caches(const struct bench* b) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (b->flush && b->run.rank == 0) {
    sync();
    FILE* const drop = fopen("/proc/sys/vm/drop_caches", "w");
    if (drop != NULL) fputs("3\n", drop), fclose(drop);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Filling and checking buffers is not part of the time.
static double all_calls(struct bench* b, const struct contestant* c, enum direction direction) {
  MPI_Datatype type = pattern_type(&b->pattern);
  MPI_File file = open_file(b, c->info);
  must(b, MPI_File_set_view(file, b->pattern.first, MPI_INT, type, "native", MPI_INFO_NULL),
       "set_view");
  flush_caches(b);
  double spent = 0;
  int64_t wrong = 0;
  for (int64_t call = 0; call < b->pattern.calls; ++call) {
    if (direction == WRITE) fill_call(b, call);
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    one_call(b, c, file, direction);
    MPI_Barrier(MPI_COMM_WORLD);
    spent += MPI_Wtime() - begin;
    if (direction == READ) wrong += check_call(b, call);
  }
  if (b->sync && direction == WRITE) {
    const double begin = MPI_Wtime();
    must(b, MPI_File_sync(file), "sync");
    MPI_Barrier(MPI_COMM_WORLD);
    spent += MPI_Wtime() - begin;
  }
  MPI_File_close(&file);
  MPI_Type_free(&type);
  b->wrong += wrong;
  if (sum_over_ranks(wrong) > 0)
    record(
        &b->run,
        "{\"type\":\"wrong\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"read\",\"words\":%lld}",
        b->case_name, c->name, (long long)wrong);
  return slowest(spent);
}

// The whole file, each rank a part, as plainly as it can be read.
static void check_file_contents(struct bench* b, const struct contestant* c) {
  enum { kChunkWords = 1 << 18 };
  const int64_t words = b->pattern.file_bytes / kWordBytes;
  const int64_t begin = words * b->run.rank / b->run.ranks;
  const int64_t end = words * (b->run.rank + 1) / b->run.ranks;
  uint32_t* const chunk = malloc((size_t)kChunkWords * kWordBytes);
  MPI_File file = open_file(b, MPI_INFO_NULL);
  MPI_Offset size = 0;
  MPI_File_get_size(file, &size);
  int64_t wrong = size != b->pattern.file_bytes;
  for (int64_t first = begin; first < end; first += kChunkWords) {
    const int64_t some = end - first < kChunkWords ? end - first : kChunkWords;
    must(b,
         MPI_File_read_at(file, first * kWordBytes, chunk, (int)some, MPI_INT, MPI_STATUS_IGNORE),
         "check");
    for (int64_t w = 0; w < some; ++w) wrong += chunk[w] != word_value(first + w, b->salt);
  }
  MPI_File_close(&file);
  free(chunk);
  b->wrong += wrong;
  const int64_t all = sum_over_ranks(wrong);
  if (all > 0)
    record(&b->run,
           "{\"type\":\"wrong\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"write\",\"words\":%"
           "lld}",
           b->case_name, c->name, (long long)all);
}

static void measure_pattern(struct bench* b, const struct contestant* c, int repetition) {
  for (enum direction d = WRITE; d <= READ; ++d) {
    if (is_skipped(&b->skips, b->case_name, c->name, kOps[d])) continue;
    record(&b->run, "{\"type\":\"begin\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\"}",
           b->case_name, c->name, kOps[d]);
    if (d == WRITE) b->salt = make_salt(++b->writes);
    const int logs = repetition == 0 && begin_log(&b->run, c->info);
    watch(&b->run);
    const double seconds = all_calls(b, c, d);
    unwatch();
    if (logs)
      end_log(&b->run, b->case_name, c->name, kOps[d]);
    else if (repetition > 0)
      record(&b->run,
             "{\"type\":\"sample\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\",\"seconds\":"
             "%.9f}",
             b->case_name, c->name, kOps[d], seconds);
    if (d == WRITE) check_file_contents(b, c);
  }
}

static void run_case(struct bench* b, const char* name) {
  b->case_name = name;
  if (!make_pattern(&b->run, name, b->bytes, &b->pattern))
    give_up(&b->run, "no such case: %s", name);
  b->buffer = malloc((size_t)call_bytes(&b->pattern));
  record(&b->run, "{\"type\":\"case\",\"case\":\"%s\",\"bytes\":%lld,\"calls\":%lld}", name,
         (long long)b->pattern.file_bytes, (long long)b->pattern.calls);
  for (int repetition = 0; repetition <= b->repetitions; ++repetition)
    for (int turn = 0; turn < b->contestant_count; ++turn)
      measure_pattern(b, &b->contestants[(turn + repetition) % b->contestant_count], repetition);
  free(b->buffer);
  MPI_Barrier(MPI_COMM_WORLD);
  if (b->run.rank == 0) MPI_File_delete(b->run.path, MPI_INFO_NULL);
  MPI_Barrier(MPI_COMM_WORLD);
  record(&b->run, "{\"type\":\"finished\",\"case\":\"%s\"}", name);
}

static void read_arguments(struct bench* b, int argc, char** argv) {
  static const struct option kOptions[] = {
      {"file", 1, NULL, 'f'},       {"records", 1, NULL, 'r'},
      {"bytes", 1, NULL, 'b'},      {"repetitions", 1, NULL, 'n'},
      {"limit", 1, NULL, 'l'},      {"flush", 0, NULL, 'x'},
      {"sync", 0, NULL, 'y'},       {"skip", 1, NULL, 's'},
      {"contestant", 1, NULL, 'c'}, {NULL, 0, NULL, 0}};
  const char* records = "/dev/stdout";
  b->bytes = 16 << 20, b->repetitions = 3, b->run.limit_seconds = 60;
  for (int option; (option = getopt_long(argc, argv, "", kOptions, NULL)) != -1;) {
    if (option == 'f')
      b->run.path = optarg;
    else if (option == 'r')
      records = optarg;
    else if (option == 'b')
      b->bytes = atoll(optarg);
    else if (option == 'n')
      b->repetitions = atoi(optarg);
    else if (option == 'l')
      b->run.limit_seconds = atof(optarg);
    else if (option == 'x')
      b->flush = 1;
    else if (option == 'y')
      b->sync = 1;
    else if (option == 's')
      add_skip(&b->skips, optarg);
    else if (option != 'c' || b->contestant_count == kMost ||
             !parse_contestant(optarg, &b->contestants[b->contestant_count++]))
      give_up(&b->run, "wrong arguments");
  }
  if (b->run.path == NULL) give_up(&b->run, "--file is missing");
  if (b->run.rank == 0 && (b->run.records = fopen(records, "a")) == NULL)
    give_up(&b->run, "cannot write %s", records);
}

int main(int argc, char** argv) {
  static struct bench bench;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &bench.run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &bench.run.ranks);
  read_arguments(&bench, argc, argv);
  for (int i = optind; i < argc; ++i) run_case(&bench, argv[i]);
  for (int i = 0; i < bench.contestant_count; ++i) free_contestant(&bench.contestants[i]);
  const int64_t wrong = sum_over_ranks(bench.wrong);
  record(&bench.run, "{\"type\":\"done\",\"wrong_words\":%lld}", (long long)wrong);
  MPI_Finalize();
  return wrong > 0 ? 3 : 0;
}
