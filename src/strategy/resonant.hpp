// Resonant collective I/O: every I/O node of a striped file is accessed by one rank, its agent, in
// ascending order. Agents exchange directly with the ranks whose bytes those are.
#pragma once

#include <cstdint>

#include "plan/facts.hpp"
#include "plan/plan.hpp"

namespace tutti {

// Every rank's stream must be monotone, and the file striped over several I/O nodes.
bool accepts_resonant(const CallFacts& facts);

// Where each rank's data lies below the next one's and the user named this strategy, every rank
// accesses its own bytes, and groups of ranks that share I/O nodes take turns. Where storage caches
// what it reads, agents only read ahead. Otherwise agents read and write for everybody: one for
// each node, or several in turn where there are many more ranks than nodes.
// Agents are chosen among the ranks that cb_nodes and cb_config_list allow. Where romio_cb_read or
// romio_cb_write forbids an exchange every rank accesses its own bytes. A plan for round robin does
// not grow with the file; one for a table of placements has a window for each stretch of the file
// on one node. Without striping one agent accesses everything.
Plan plan_resonant(const CallFacts& facts, std::int32_t rank);

}  // namespace tutti
