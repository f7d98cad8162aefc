// Multi-phase collective I/O: all ranks own, and bytes reach their owner in ceil(log_k P) exchanges
// of large slices. A phase splits file intervals, never lists.
#pragma once

#include <cstdint>

#include "plan/facts.hpp"
#include "plan/plan.hpp"

namespace tutti {

// Every rank's stream must be monotone, and known to those who pass its bytes on.
bool accepts_multi_phase(const CallFacts& facts);

// tutti_radix is the radix; cb_nodes and cb_config_list have no meaning here.
Plan plan_multi_phase(const CallFacts& facts, std::int32_t rank);

}  // namespace tutti
