// The inspector for block-cyclic vectors: every descriptor comes from a formula. No list of
// elements exists, no message travels, and neither time nor descriptors grow with the vector.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "strategy/inplace_plan.hpp"

namespace tutti::inplace {

// Nx = `elements` dealt out in blocks of Bx = `block` to Np = `ranks` processes.
struct CyclicVector {
  std::int64_t elements = 0;
  int ranks = 1;
  std::int64_t block = 1;

  // Elements that the processes [owners.first, owners.last) own among the first `logical` of x.
  std::int64_t count_below(RankRange owners, std::int64_t logical) const;
  std::int64_t count(RankRange owners, Interval logical) const;
  std::int64_t own_elements(int rank) const { return count_below({rank, rank + 1}, elements); }

  // Equation 6, with the alloc_offset that it leaves out: the logical address of what lies at
  // `physical` in the region of `rank` before the first phase.
  std::int64_t logical_address(int rank, std::int64_t alloc_offset, std::int64_t physical) const;

  // The same distribution as tuples, the input of the irregular inspector. Grows with the vector.
  // REQUIRES: ranks * block fits in 63 bits.
  Tuples tuples(int rank) const;
};

// Local, pure. O(ranks) time and tuples, whatever `elements` and `block` are.
// Fails with invalid_argument if a number is out of range or ranks * block exceeds 63 bits.
Result<InplacePlan> inspect_regular(const CyclicVector& vector, int rank);

}  // namespace tutti::inplace
