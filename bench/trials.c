#include <math.h>

#include "session.h"

// Growing parts of the full size. The time at full size is foretold from each one and the one
// before it; a larger trial is made only where a smaller one leaves it open whether the limit is
// exceeded.
static const int kParts[] = {256, 64, 16};
enum { kPartCount = sizeof kParts / sizeof *kParts };
static const double kQuickSeconds = 0.015;  // below that, times say nothing about growth
static const double kClearlyOver = 1.5;

// Collective. Seconds of opening the view and one access of a small shape, per direction.
static int try_small(struct session* s, struct contestant* c, const struct shape* small,
                     double seconds[2]) {
  struct opening opening;
  if (!opened(s, c, small, &opening)) return 0;
  for (enum direction d = WRITE; d <= READ; ++d) {
    seconds[d] = timed_access(s, c, small, d, buffer_of(s, c));
    if (seconds[d] < 0) return close_shape(c), 0;
    seconds[d] += opening.view_seconds;
  }
  close_shape(c);
  return 1;
}

// The time at full size from the last two trials: by a power law, at most quadratic, where time
// grew faster than the size; otherwise by a straight line, since a part of it does not grow at all.
static double foretell(double seconds, double before, int part, int part_before) {
  const double plain = seconds * part;
  const double power = log(seconds / before) / log((double)part_before / part);
  if (power > 1 && seconds > kQuickSeconds) return seconds * pow(part, fmin(2, power));
  const double slope = (seconds - before) / (1.0 / part - 1.0 / part_before);
  return fmin(plain, fmax(plain / 4, seconds + slope * (1 - 1.0 / part)));
}

// Collective. 0 when a trial failed.
static int foretell_entry(struct session* s, struct entry* e, const struct shape* shapes,
                          double foretold[2]) {
  double before[2], seconds[2];
  if (!try_small(s, &e->contestant, &shapes[0], before)) return 0;
  for (int i = 1; i < kPartCount; ++i) {
    int open_question = 0;
    if (!try_small(s, &e->contestant, &shapes[i], seconds)) return 0;
    for (enum direction d = WRITE; d <= READ; ++d) {
      const double here = foretell(seconds[d], before[d], kParts[i], kParts[i - 1]);
      foretold[d] = i == 1 ? here : fmin(here, foretold[d]);
      open_question |= e->takes_part[d] && foretold[d] > s->run.limit_seconds &&
                       seconds[d] * kParts[i] < kClearlyOver * s->run.limit_seconds;
      before[d] = seconds[d];
    }
    if (!open_question) break;
  }
  return 1;
}

void run_trials(struct session* s) {
  struct shape shapes[kPartCount];
  for (int i = 0; i < kPartCount; ++i)
    make_shape(&s->run, s->case_name, s->options.bytes / kParts[i], &shapes[i]);
  for (int i = 0; i < s->entry_count; ++i) {
    struct entry* const e = &s->entries[i];
    double foretold[2];
    if (e->contestant.kind == KIND_BLOCK || e->contestant.kind == KIND_TRANSPOSE) continue;
    if (!e->takes_part[WRITE] && !e->takes_part[READ]) continue;
    if (!foretell_entry(s, e, shapes, foretold)) {
      e->takes_part[WRITE] = e->takes_part[READ] = 0;
      continue;
    }
    for (enum direction d = WRITE; d <= READ; ++d) {
      if (!e->takes_part[d] || foretold[d] <= s->run.limit_seconds) continue;
      e->takes_part[d] = 0;
      record(&s->run,
             "{\"type\":\"cut\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\","
             "\"foretold_s\":%.1f}",
             s->case_name, e->contestant.name, kOps[d], foretold[d]);
    }
  }
  for (int i = 0; i < kPartCount; ++i) free_shape(&shapes[i]);
}
