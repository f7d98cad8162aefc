// The papers' own way to learn the logical addresses of received elements: a process sends its
// sending datatype together with its distribution and all datatypes it received before, and the
// receiver follows an address back through them, Phy2Log by Phy2Log, to the process it started
// from. The irregular inspector sends the resulting logical addresses instead, which is less; this
// file shows that the two agree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "strategy/inplace_descriptor.hpp"
#include "strategy/inplace_plan.hpp"

namespace tutti::inplace {

struct Received;

// What a process knows of the origin of everything in its region at some phase.
struct History {
  std::int64_t alloc_offset = 0;
  Tuples distribution;             // logical addresses of its own elements
  std::vector<Received> received;  // in the order of arrival
};

// A datatype that arrived: element i of what lies at `receive_offset` was at Phy2Log(i, datatype)
// in the region of the process whose history is `source`.
struct Received {
  std::int64_t receive_offset = 0;
  Tuples datatype;
  History source;
};

// Local, pure. The logical addresses of the region elements `physical`, in their order.
// Fails with internal if an element is neither the process's own nor received.
Result<Tuples> trace_logical(const History& history, std::span<const Tuple> physical);

// Local, pure. The histories of all ranks at the start of `phase`, as their exchange would leave
// them. REQUIRES: plans and distributions of all ranks in rank order.
std::vector<History> exchange_histories(std::span<const InplacePlan> plans,
                                        std::span<const Tuples> distributions, int phase);

}  // namespace tutti::inplace
