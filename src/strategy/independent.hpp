// Strategies without exchange: every rank accesses its own bytes, by one method. They accept any
// call.
#pragma once

#include <cstdint>

#include "plan/facts.hpp"
#include "plan/plan.hpp"

namespace tutti {

bool accepts_any(const CallFacts& facts);

// By the method that tutti_access names or, where it names none, each rank's romio_ds_* and density
// suggest.
Plan plan_independent(const CallFacts& facts, std::int32_t rank);
// One request for each contiguous piece, in stream order.
Plan plan_naive(const CallFacts& facts, std::int32_t rank);
// Lists of pieces, tutti_list_segments at a time.
Plan plan_list(const CallFacts& facts, std::int32_t rank);
// Large reads that cover holes; writes as read-modify-write under a lock.
Plan plan_sieve(const CallFacts& facts, std::int32_t rank);

}  // namespace tutti
