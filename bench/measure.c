#include <fcntl.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session.h"

const char* const kOps[2] = {"write", "read"};

static double now_after_barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime();
}

uint32_t* buffer_of(struct session* s, const struct contestant* c) {
  return c->memory == MEMORY_CONTIGUOUS ? s->stream : s->memory;
}

static void record_begin(struct session* s, const struct contestant* c, const char* op) {
  record(&s->run, "{\"type\":\"begin\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\"}",
         s->case_name, c->name, op);
}

static void record_failure(struct session* s, const struct contestant* c, const char* op,
                           int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  for (char* at = text; *at != '\0'; ++at)
    if (*at == '"' || *at == '\\' || *at < ' ') *at = '\'';
  record(&s->run,
         "{\"type\":\"failed\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\",\"message\":\"%"
         "s\"}",
         s->case_name, c->name, op, text);
}

double timed_access(struct session* s, struct contestant* c, const struct shape* shape,
                    enum direction direction, uint32_t* buffer) {
  record_begin(s, c, kOps[direction]);
  watch(&s->run);
  const double begin = now_after_barrier();
  const int code = access_shape(&s->run, c, shape, direction, buffer);
  const double seconds = slowest(now_after_barrier() - begin);
  unwatch();
  const int worst = (int)max_over_ranks(code);
  if (worst == MPI_SUCCESS) return seconds;
  record_failure(s, c, kOps[direction], worst);
  return -1;
}

int opened(struct session* s, struct contestant* c, const struct shape* shape,
           struct opening* opening) {
  record_begin(s, c, "open");
  watch(&s->run);
  const int code = (int)max_over_ranks(open_shape(&s->run, c, shape, opening));
  unwatch();
  if (code == MPI_SUCCESS) return 1;
  record_failure(s, c, "open", code);
  return 0;
}

static void note_wrong(struct session* s, const struct contestant* c, enum direction direction,
                       int64_t words) {
  if (words == 0) return;
  s->wrong += words;
  record(&s->run,
         "{\"type\":\"wrong\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\",\"words\":%lld}",
         s->case_name, c->name, kOps[direction], (long long)words);
  if (c->kind == KIND_BLOCK) return;
  fill_file(&s->run, &s->shape.contents, kUntouched);
  s->file_salt = kUntouched;
}

// Makes one byte of the file wrong, to see whether that is found.
static void spoil_file(const struct session* s) {
  const int64_t at = s->shape.contents.words / 2 * kWordBytes;
  const int fd = open(s->run.path, O_RDWR);
  unsigned char byte;
  if (s->run.rank == 0) {
    read_fully(&s->run, fd, &byte, 1, at);
    byte ^= 1;
    write_fully(&s->run, fd, &byte, 1, at);
  }
  close(fd);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void spread(struct session* s, const struct contestant* c) {
  if (c->memory != MEMORY_CONTIGUOUS) stream_to_memory(&s->shape, c->memory, s->stream, s->memory);
}

void prepare_write(struct session* s, const struct contestant* c) {
  s->file_salt = make_salt(++s->writes);
  fill_stream(&s->shape.walk, s->file_salt, s->stream);
  spread(s, c);
}

void check_write(struct session* s, const struct contestant* c) {
  int64_t wrong;
  if (c->kind == KIND_BLOCK) {
    const int64_t bytes = stream_words(&s->shape) * kWordBytes;
    memset(s->stream, 0xEE, (size_t)bytes);
    read_fully(&s->run, c->fd, s->stream, bytes, s->run.rank * bytes);
    wrong = sum_over_ranks(check_stream(&s->shape.walk, s->file_salt, s->stream));
  } else {
    wrong = check_file(&s->run, &s->shape.contents, s->file_salt);
  }
  note_wrong(s, c, WRITE, wrong);
}

static void prepare_read(struct session* s, const struct entry* e) {
  if (!e->takes_part[WRITE]) {
    s->file_salt = make_salt(++s->writes);
    fill_file(&s->run, &s->shape.contents, s->file_salt);
  }
  memset(s->stream, 0xEE, (size_t)stream_words(&s->shape) * kWordBytes);
  spread(s, &e->contestant);
}

void check_read(struct session* s, const struct contestant* c) {
  int64_t wrong = 0;
  if (c->memory != MEMORY_CONTIGUOUS)
    wrong += memory_to_stream(&s->shape, c->memory, s->memory, s->stream);
  wrong += check_stream(&s->shape.walk, s->file_salt, s->stream);
  note_wrong(s, c, READ, sum_over_ranks(wrong));
}

struct stat_scan {
  struct entry* entry;
  struct run* run;
  int written;
  char text[2048];
};

// Adds the growth of one counter since the last time to the text.
static void add_stat(void* context, const char* key, double value) {
  struct stat_scan* const scan = context;
  struct entry* const e = scan->entry;
  int i = 0;
  while (i < e->stat_count && strcmp(e->stats[i].key, key) != 0) ++i;
  if (i == kMaxStats) return;
  if (i == e->stat_count) {
    snprintf(e->stats[i].key, sizeof e->stats[i].key, "%s", key);
    e->stats[i].value = 0;
    ++e->stat_count;
  }
  const size_t used = strlen(scan->text);
  snprintf(scan->text + used, sizeof scan->text - used, "%s\"%s\":%.9g", used > 0 ? "," : "", key,
           value - e->stats[i].value);
  e->stats[i].value = value;
}

void record_stats(struct session* s, struct entry* e, const char* op, int repetition) {
  struct stat_scan scan = {.entry = e, .run = &s->run};
  visit_stats(&e->contestant, add_stat, &scan);
  if (scan.text[0] == '\0') return;
  record(&s->run,
         "{\"type\":\"stats\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\",\"repetition\":%"
         "d,\"stats\":{%s}}",
         s->case_name, e->contestant.name, op, repetition, scan.text);
}

// Takes the place of what is in the caches that this core has for data.
static void cool_caches(struct session* s) {
  enum { kLine = 64, kSweptBytes = 64 << 20 };
  static unsigned char* swept;
  if (swept == NULL) swept = calloc(kSweptBytes, 1);
  if (swept == NULL) give_up(&s->run, "no memory to cool caches with");
  for (int64_t at = 0; at < kSweptBytes; at += kLine) ++swept[at];
}

double measure(struct session* s, struct entry* e, enum direction direction, int repetition) {
  struct contestant* const c = &e->contestant;
  if (direction == WRITE)
    prepare_write(s, c);
  else
    prepare_read(s, e);
  if (s->options.cold) cool_caches(s);
  const double seconds = timed_access(s, c, &s->shape, direction, buffer_of(s, c));
  if (seconds < 0) return e->takes_part[WRITE] = e->takes_part[READ] = 0, seconds;
  record(&s->run,
         "{\"type\":\"sample\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\",\"repetition\":%"
         "d,\"seconds\":%.9f}",
         s->case_name, c->name, kOps[direction], repetition, seconds);
  record_stats(s, e, kOps[direction], repetition);
  if (direction == WRITE && s->options.spoil) spoil_file(s);
  if (direction == WRITE)
    check_write(s, c);
  else
    check_read(s, c);
  return seconds;
}
