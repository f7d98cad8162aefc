// A call at a glance: what all ranks ask for together.
#pragma once

#include <cstdint>

#include "base/extent.hpp"
#include "plan/facts.hpp"
#include "plan/plan.hpp"

namespace tutti {

struct CallShape {
  Extent range;                  // from the first byte asked for to the last, by anybody
  std::int64_t bytes = 0;        // with overlaps counted as often as they occur
  std::int64_t pieces = 0;       // contiguous pieces of all ranks, about
  std::int64_t most_pieces = 0;  // of one rank
  bool monotone = true;          // all ranks
  // Some rank starts before the one below it ends; ranks without data do not count. The rule by
  // which the extended two-phase method goes independent or not.
  bool interleaved = false;
};

CallShape shape_of(const CallFacts& facts);

// A plan of `rank` that says whose it is and nothing yet about what to do.
Plan begin_plan(const char* strategy, const CallFacts& facts, std::int32_t rank);

// The collective buffering toggle of the call's direction.
Toggle buffering(const CallFacts& facts);

}  // namespace tutti
