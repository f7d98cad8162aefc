// Runs in-place plans of all ranks in one process on vectors: what MPI processes would do, without
// MPI. The executor on real processes and files is proven against it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strategy/inplace_plan.hpp"

namespace tutti::inplace {

using Values = std::vector<std::int64_t>;
constexpr std::int64_t kEmpty = -1;  // an element that holds nothing

// All functions are local and pure but for the arguments they change.
// REQUIRES: check_inplace_plans accepts the plans; regions are in rank order and of the plans'
// sizes.

// A region with the process's own elements in place, and the own elements of a region.
Values fill_region(const InplacePlan& plan, std::span<const std::int64_t> own);
Values own_values(const InplacePlan& plan, const Values& region);

// One phase of writing, or of reading, for all processes at once.
void run_phase(std::span<const InplacePlan> plans, int phase, std::span<Values> regions);
void run_phase_backwards(std::span<const InplacePlan> plans, int phase, std::span<Values> regions);

// Between a region and the contiguous buffer that is one process's file access.
Values pack(const InplacePlan& plan, const Values& region);
void unpack(const InplacePlan& plan, const Values& packed, Values& region);

// A whole collective write into a file of `elements` elements that were kEmpty, and a whole read.
Values simulate_write(std::span<const InplacePlan> plans, std::span<const Values> own,
                      std::int64_t elements);
std::vector<Values> simulate_read(std::span<const InplacePlan> plans, const Values& file);

}  // namespace tutti::inplace
