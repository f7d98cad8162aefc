// What one process does in in-place multi-phase I/O, as a value: all counts are elements, so one
// plan serves any element size, any file position and both directions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "strategy/inplace_descriptor.hpp"
#include "strategy/inplace_layout.hpp"

namespace tutti::inplace {

// One partner of one phase. Writing: the elements `send` of the region go to `peer`, and its
// elements arrive at [receive_offset, receive_offset + receive_count). Reading: the reverse.
struct Exchange {
  int peer = 0;
  Tuples send;  // empty: only receives
  std::int64_t receive_offset = 0;
  std::int64_t receive_count = 0;

  friend bool operator==(const Exchange&, const Exchange&) = default;
};
using Phase = std::vector<Exchange>;  // in ascending order of peer

struct InplacePlan {
  int rank = 0;
  int ranks = 1;
  Region region;
  std::vector<Phase> phases;  // phase_count(ranks) of them; reading goes through them backwards
  Repeats pack;               // the region's elements in file order
  Tuples file;                // where the packed elements lie in the file, to be written in order
  Interval domain;            // the part of the file that no other process touches

  friend bool operator==(const InplacePlan&, const InplacePlan&) = default;
};

// The exchanges of plan.rank in `phase`, which all inspectors build alike: `send` goes to the
// target, every source's elements go to its slot of plan.region.
Phase make_phase(const InplacePlan& plan, int phase, Tuples send);

// Local, pure. Checks the plans of all ranks, in rank order, against each other: equal numbers of
// phases, every message expected with its size, nothing outside a region, received elements never
// placed over held ones, domains disjoint and obeyed, as much packed as written.
Status check_inplace_plans(std::span<const InplacePlan> plans);

// One line per phase and one for the file, for people and failing tests.
std::string inplace_plan_text(const InplacePlan& plan);

}  // namespace tutti::inplace
