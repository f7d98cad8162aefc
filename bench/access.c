// Measures several contestants on the same accesses, in turn, in one run, and checks every byte
// after every write and every read. A plain MPI program; run.py starts it and reads its records.
//
//   access --file F --records R [--bytes N] [--repetitions N] [--limit S] [--budget S] [--memory]
//          [--cold] [--spoil] [--skip CASE|CONTESTANT|OP]… --contestant SPEC… CASE…
//
// Time is from barrier to barrier on the slowest rank; the file exists at full size. A contestant
// whose trial at a fraction of the size foretells more than the limit is left out and reported so.
// With --cold the caches hold nothing of use before each access, whatever its size.
#include <getopt.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory_use.h"
#include "session.h"

static void open_entries(struct session* s) {
  for (int i = 0; i < s->entry_count; ++i) {
    struct entry* const e = &s->entries[i];
    struct opening opening;
    e->open = 0;
    e->stat_count = 0;
    if (!e->takes_part[WRITE] && !e->takes_part[READ]) continue;
    if (!opened(s, &e->contestant, &s->shape, &opening)) continue;
    e->open = 1;
    e->repetitions = s->options.repetitions;
    record(
        &s->run,
        "{\"type\":\"open\",\"case\":\"%s\",\"contestant\":\"%s\",\"open_s\":%.9f,\"view_s\":%.9f}",
        s->case_name, e->contestant.name, opening.open_seconds, opening.view_seconds);
    record_stats(s, e, "open", 0);
  }
}

// Block I/O leaves the file in an order of its own; what follows must find holes as they were.
static void restore_after(struct session* s, const struct contestant* c) {
  if (c->kind == KIND_BLOCK) fill_file(&s->run, &s->shape.contents, kUntouched);
}

// Who comes when in a repetition. In `count` repetitions everybody has every turn once and, where
// their number is even, follows everybody else once; where it is odd, in twice as many. (A Latin
// square balanced for who follows whom, by Williams.)
static void lay_order(int repetition, int count, int* order) {
  const int mirrored = count % 2 == 1 && repetition / count % 2 == 1;
  for (int turn = 0; turn < count; ++turn) {
    const int zigzag = turn % 2 == 1 ? (turn + 1) / 2 : (count - turn / 2) % count;
    order[mirrored ? count - 1 - turn : turn] = (zigzag + repetition) % count;
  }
}

static void alternate(struct session* s) {
  for (int repetition = 0; repetition < s->options.repetitions; ++repetition) {
    int order[kMaxContestants];
    lay_order(repetition, s->entry_count, order);
    for (int turn = 0; turn < s->entry_count; ++turn) {
      struct entry* const e = &s->entries[order[turn]];
      if (!e->open || repetition >= e->repetitions) continue;
      double spent = 0;
      for (enum direction d = WRITE; d <= READ; ++d)
        if (e->takes_part[d]) spent += fmax(0, measure(s, e, d, repetition));
      restore_after(s, &e->contestant);
      if (repetition > 0 || spent * s->options.repetitions <= s->options.budget_seconds) continue;
      e->repetitions = (int)fmax(1, s->options.budget_seconds / spent);
    }
  }
}

// Peak memory that opening, viewing and one access in each direction add; one contestant per run.
static void measure_memory(struct session* s) {
  struct entry* const e = &s->entries[0];
  struct opening opening;
  prepare_write(s, &e->contestant);
  MPI_Barrier(MPI_COMM_WORLD);
  const int64_t before = resident_bytes();
  forget_peak();
  if (!opened(s, &e->contestant, &s->shape, &opening)) return;
  for (enum direction d = WRITE; d <= READ; ++d) {
    if (!e->takes_part[d]) continue;
    if (timed_access(s, &e->contestant, &s->shape, d, buffer_of(s, &e->contestant)) < 0) return;
    const int64_t added = max_over_ranks(peak_bytes() - before);
    record(&s->run,
           "{\"type\":\"memory\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\",\"added_"
           "bytes\":%lld}",
           s->case_name, e->contestant.name, kOps[d], (long long)added);
    if (d == WRITE)
      check_write(s, &e->contestant);
    else
      check_read(s, &e->contestant);
    memset(s->stream, 0xEE, (size_t)stream_words(&s->shape) * kWordBytes);
  }
  close_shape(&e->contestant);
}

static void make_file(struct session* s) {
  if (s->run.rank == 0) {
    FILE* const file = fopen(s->run.path, "a");
    if (file == NULL || ftruncate(fileno(file), s->shape.contents.words * kWordBytes) != 0)
      give_up(&s->run, "cannot make %s", s->run.path);
    fclose(file);
  }
  fill_file(&s->run, &s->shape.contents, kUntouched);
}

static void check_size(struct session* s) {
  struct stat facts;
  MPI_Barrier(MPI_COMM_WORLD);
  if (s->run.rank != 0 || stat(s->run.path, &facts) != 0) return;
  if (facts.st_size == s->shape.contents.words * kWordBytes) return;
  fprintf(stderr, "bench: %s: the file has %lld bytes, not %lld\n", s->case_name,
          (long long)facts.st_size, (long long)s->shape.contents.words * kWordBytes);
  ++s->wrong;
}

static uint32_t* make_buffer(int64_t words) {
  const size_t page = 4096, bytes = (size_t)(words * kWordBytes);
  return aligned_alloc(page, (bytes + page - 1) / page * page);
}

static void run_case(struct session* s, const char* name) {
  s->case_name = name;
  if (!make_shape(&s->run, name, s->options.bytes, &s->shape))
    give_up(&s->run, "no such case: %s", name);
  const int64_t words = stream_words(&s->shape), total = sum_over_ranks(words);
  const int64_t most = s->shape.memory[MEMORY_GAPS].words;
  s->stream = make_buffer(words);
  s->memory = most > 0 ? make_buffer(most) : NULL;
  record(&s->run,
         "{\"type\":\"case\",\"case\":\"%s\",\"bytes\":%lld,\"file_bytes\":%lld,\"pieces_per_"
         "rank\":%lld,\"piece_bytes\":%lld}",
         name, (long long)total * kWordBytes, (long long)s->shape.contents.words * kWordBytes,
         (long long)walk_runs(&s->shape.walk), (long long)s->shape.walk.run_words * kWordBytes);
  for (int i = 0; i < s->entry_count; ++i) {
    struct entry* const e = &s->entries[i];
    const int able = takes_part(&e->contestant, &s->shape);
    for (enum direction d = WRITE; d <= READ; ++d)
      e->takes_part[d] = able && !is_skipped(&s->options.skips, name, e->contestant.name, kOps[d]);
  }
  make_file(s);
  if (s->options.memory) {
    measure_memory(s);
  } else {
    run_trials(s);
    fill_file(&s->run, &s->shape.contents, kUntouched);
    open_entries(s);
    alternate(s);
    for (int i = 0; i < s->entry_count; ++i)
      if (s->entries[i].open) close_shape(&s->entries[i].contestant);
  }
  check_size(s);
  free(s->memory);
  free(s->stream);
  free_shape(&s->shape);
  record(&s->run, "{\"type\":\"finished\",\"case\":\"%s\"}", name);
}

static void read_arguments(struct session* s, int argc, char** argv) {
  static const struct option kOptions[] = {
      {"file", 1, NULL, 'f'},        {"records", 1, NULL, 'r'}, {"bytes", 1, NULL, 'b'},
      {"repetitions", 1, NULL, 'n'}, {"limit", 1, NULL, 'l'},   {"budget", 1, NULL, 'g'},
      {"memory", 0, NULL, 'm'},      {"spoil", 0, NULL, 'x'},   {"skip", 1, NULL, 's'},
      {"contestant", 1, NULL, 'c'},  {"cold", 0, NULL, 'o'},    {NULL, 0, NULL, 0}};
  s->options = (struct options){.bytes = 64 << 20, .repetitions = 5, .budget_seconds = 6};
  s->run.limit_seconds = 60;
  const char* records = "/dev/stdout";
  for (int option; (option = getopt_long(argc, argv, "", kOptions, NULL)) != -1;) {
    switch (option) {
      case 'f':
        s->run.path = optarg;
        break;
      case 'r':
        records = optarg;
        break;
      case 'b':
        s->options.bytes = atoll(optarg);
        break;
      case 'n':
        s->options.repetitions = atoi(optarg);
        break;
      case 'l':
        s->run.limit_seconds = atof(optarg);
        break;
      case 'g':
        s->options.budget_seconds = atof(optarg);
        break;
      case 'm':
        s->options.memory = 1;
        break;
      case 'o':
        s->options.cold = 1;
        break;
      case 'x':
        s->options.spoil = 1;
        break;
      case 's':
        add_skip(&s->options.skips, optarg);
        break;
      case 'c':
        if (s->entry_count == kMaxContestants) give_up(&s->run, "too many contestants");
        if (!parse_contestant(optarg, &s->entries[s->entry_count++].contestant))
          give_up(&s->run, "cannot have the contestant %s (is Tutti preloaded?)", optarg);
        break;
      default:
        give_up(&s->run, "wrong arguments");
    }
  }
  if (s->run.path == NULL) give_up(&s->run, "--file is missing");
  if (s->run.rank == 0 && (s->run.records = fopen(records, "a")) == NULL)
    give_up(&s->run, "cannot write %s", records);
}

int main(int argc, char** argv) {
  static struct session session;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &session.run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &session.run.ranks);
  read_arguments(&session, argc, argv);
  for (int i = optind; i < argc; ++i) run_case(&session, argv[i]);
  for (int i = 0; i < session.entry_count; ++i) free_contestant(&session.entries[i].contestant);
  record(&session.run, "{\"type\":\"done\",\"wrong_words\":%lld}", (long long)session.wrong);
  const int failed = max_over_ranks(session.wrong) > 0;
  MPI_Finalize();
  return failed ? 3 : 0;
}
