// Which ranks take turns where each rank's data lies below the next one's and all access their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/plan.hpp"
#include "strategy/access_sets.hpp"

namespace tutti {

// Ranks that share I/O nodes, directly or through others; ranks of different sets share none.
struct ProcessSet {
  std::vector<std::int32_t> ranks;  // ascending
  std::int32_t io_nodes = 0;        // how many the set uses

  // The ranks of group k: as many as there are I/O nodes go at a time.
  std::span<const std::int32_t> group(std::int64_t k) const;

  friend bool operator==(const ProcessSet&, const ProcessSet&) = default;
};

// In the order of their lowest ranks; ranks that ask for nothing are in none.
std::vector<ProcessSet> process_sets(std::span<const AccessSet> sets);

// Every rank of a group begins after all of the group before it.
Turn turn_in_groups(std::span<const ProcessSet> sets, std::int32_t rank);

}  // namespace tutti
