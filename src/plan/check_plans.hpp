// Proves the plans of all ranks right, or says what is wrong with them: in one process, without MPI
// and without a file.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <span>
#include <string>

#include "plan/plan.hpp"
#include "request/access.hpp"

namespace tutti {

struct Verdict {
  std::string objection;  // one sentence; empty: the plans are sound
  // A write whose owners' windows hold bytes that nobody writes: owners read, modify and write.
  bool rewrites_holes = false;

  static Verdict sound() { return {}; }
  // Whether the plans are sound, and for the same reason if not.
  friend bool operator==(const Verdict& a, const Verdict& b) { return a.objection == b.objection; }
  friend std::ostream& operator<<(std::ostream& out, const Verdict& verdict);
};

// Local, pure. Sound plans: every turn is known to both sides and none waits in a circle; all ranks
// go independent, or all take the same rounds and phases; every
// piece shipped lands in the same phase with the same window, and only what a rank holds is
// shipped; in each round everything that left its origin reaches the owner of its place in the
// file; over all rounds every byte asked for is accessed exactly once; owners' windows never
// overlap, stay in the range asked for and have several pieces only where `listed` says so; no
// window exceeds staging_bytes, which is at most `staging_bound`. A read is the write run
// backwards, so one proof serves both. REQUIRES: accesses in rank order, monotone unless the plans
// are independent.
Verdict check_plans(std::span<const FileRange> accesses, std::span<const Plan> plans,
                    std::int64_t staging_bound = std::numeric_limits<std::int64_t>::max());

}  // namespace tutti
