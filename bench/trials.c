#include <math.h>

#include "session.h"

enum { kTrialPart = 64, kSmallTrialPart = 256 };

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

// Foretells the time at full size. Growth is taken as a power law through two small sizes.
static double foretell(double small, double smaller, double limit) {
  const double plain = small * kTrialPart;
  if (small < 0.015 || plain > limit) return plain;
  const double power = log(small / smaller) / log((double)kSmallTrialPart / kTrialPart);
  return small * pow(kTrialPart, power < 1 ? 1 : power > 2 ? 2 : power);
}

void run_trials(struct session* s) {
  struct shape small, smaller;
  make_shape(&s->run, s->case_name, s->options.bytes / kTrialPart, &small);
  make_shape(&s->run, s->case_name, s->options.bytes / kSmallTrialPart, &smaller);
  for (int i = 0; i < s->entry_count; ++i) {
    struct entry* const e = &s->entries[i];
    if (e->contestant.kind == KIND_BLOCK || e->contestant.kind == KIND_TRANSPOSE) continue;
    double foretold[2] = {0, 0};
    for (int attempt = 0; attempt < 2; ++attempt) {
      double first[2], second[2];
      if (!try_small(s, &e->contestant, &smaller, second) ||
          !try_small(s, &e->contestant, &small, first)) {
        e->takes_part[WRITE] = e->takes_part[READ] = 0;
        break;
      }
      double worst = 0;
      for (enum direction d = WRITE; d <= READ; ++d) {
        const double here = foretell(first[d], second[d], s->run.limit_seconds);
        foretold[d] = attempt == 0 || here < foretold[d] ? here : foretold[d];
        if (e->takes_part[d] && foretold[d] > worst) worst = foretold[d];
      }
      if (worst <= s->run.limit_seconds) break;
    }
    for (enum direction d = WRITE; d <= READ; ++d) {
      if (!e->takes_part[d] || foretold[d] <= s->run.limit_seconds) continue;
      e->takes_part[d] = 0;
      record(&s->run,
             "{\"type\":\"cut\",\"case\":\"%s\",\"contestant\":\"%s\",\"op\":\"%s\",\"foretold_s\":"
             "%.1f}",
             s->case_name, e->contestant.name, kOps[d], foretold[d]);
    }
  }
  free_shape(&small);
  free_shape(&smaller);
}
