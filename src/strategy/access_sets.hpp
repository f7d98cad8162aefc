// Who asks for how much of what each I/O node holds, and who asks storage for it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan/facts.hpp"

namespace tutti {

// What one I/O node is asked for by each rank, in bytes.
using AccessSet = std::vector<std::int64_t>;

// One set for each I/O node of facts.layout (a single one without striping). Where a rank's bytes
// on each node are not among the facts, the stretch from its first to its last byte counts: more
// than it asks for, but never nothing where it asks for something.
std::vector<AccessSet> access_sets(const CallFacts& facts);

// Whether anybody asks the node for anything.
bool is_asked(const AccessSet& set);

// By I/O node; -1 for nodes that nobody asks for anything.
using Agents = std::vector<std::int32_t>;

// The agents of every I/O node, `each` times over: in ascending order each node takes the candidate
// that asks it for most and is no agent yet, the lowest rank of several. When every candidate is an
// agent the rule starts over, so an agent may serve several nodes.
// REQUIRES: candidates ascend, at least one; each >= 1.
std::vector<Agents> choose_agents(std::span<const AccessSet> sets,
                                  std::span<const std::int32_t> candidates, std::int64_t each = 1);

}  // namespace tutti
