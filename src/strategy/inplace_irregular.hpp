// The inspector for any distribution given as {offset, length} tuples. It runs beside the phases it
// plans: what a process must tell its partner in a phase is a value here, and how it travels is not
// this file's matter.
//
// 1. Counts: as sizes are not known beforehand, processes first sum up how many elements go where
//    (start_counts, then per phase counts_for_target / accept_counts). That fixes the region.
// 2. Descriptors: per phase every process extracts what leaves its interval and tells the target
// the
//    logical addresses in the order of its physical ones (start_inspection, extract / accept).
// 3. finish makes the pack descriptor.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "strategy/inplace_mapping.hpp"
#include "strategy/inplace_plan.hpp"

namespace tutti::inplace {

// One process's share of step 1.
struct CountState {
  int rank = 0;
  int ranks = 1;
  std::int64_t own_elements = 0;
  std::vector<std::int64_t> held;  // per part of the file that its group still owns
  std::vector<Slot> incoming;      // offsets not yet known
};

// Local. `distribution` lists a process's elements in the order in which it stores them.
// Fails with invalid_argument if a tuple has negative length or leaves the file interval.
Result<CountState> start_counts(std::span<const Tuple> distribution, const FileParts& parts,
                                int rank);

// Local. What the target of `phase` must know (empty: there is none); `state` keeps the rest.
// Call it for each phase before accept_counts for that phase.
std::vector<std::int64_t> counts_for_target(CountState& state, int phase);
void accept_counts(CountState& state, int phase, int source, std::span<const std::int64_t> counts);

// One process's share of step 2.
struct Inspection {
  FileParts parts;
  MappingList list;  // what the process holds of its group's interval
  InplacePlan plan;
};

// Local. REQUIRES: counts of all phases are in.
Inspection start_inspection(std::span<const Tuple> distribution, const FileParts& parts,
                            const CountState& counts);

// Local. Takes what leaves in `phase` out of the list and into the plan; returns its logical
// addresses in the order of sending, for the target. Call it before accept for that phase.
Tuples extract(Inspection& inspection, int phase);

// Local. Enters what `source` extracted for this process in the current phase.
void accept(Inspection& inspection, int source, std::span<const Tuple> logical);

// Local. The complete plan. REQUIRES: all phases done.
InplacePlan finish(Inspection inspection);

// The smallest interval with all elements of all processes; empty at 0 if there are none.
Interval file_interval(std::span<const Tuples> distributions);

// Local, pure. All of the above for all ranks in one process. Where elements of several processes
// have one logical address, the highest rank's is written and all are read.
Result<std::vector<InplacePlan>> inspect_irregular(std::span<const Tuples> distributions,
                                                   Interval file);

}  // namespace tutti::inplace
