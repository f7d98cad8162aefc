// Extended two-phase collective I/O: the range from the smallest to the largest byte is cut into
// even file domains, one per owner, and every rank exchanges directly with the owners it needs.
#pragma once

#include <cstdint>

#include "plan/facts.hpp"
#include "plan/plan.hpp"

namespace tutti {

// Every rank's stream must be monotone.
bool accepts_two_phase(const CallFacts& facts);

// romio_cb_read and romio_cb_write as in ROMIO: `disable` plans independent access, `enable` always
// exchanges. In between, where the user named this strategy, the method's own rule holds: no
// exchange unless the ranks interleave. Where `auto` came here it has decided that already.
Plan plan_two_phase(const CallFacts& facts, std::int32_t rank);

}  // namespace tutti
