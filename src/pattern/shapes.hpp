// Patterns of distributed arrays, as MPI's constructors define them.
#pragma once

#include <cstdint>
#include <span>

#include "pattern/pattern.hpp"

namespace tutti {

enum class ArrayOrder { c, fortran };

// A box of `sizes[d]` elements starting at `starts[d]` inside an array of `full[d]` elements;
// offsets are relative to the array's first byte. REQUIRES: equal lengths, starts + sizes within
// full.
struct Subarray {
  std::span<const std::int64_t> full;
  std::span<const std::int64_t> sizes;
  std::span<const std::int64_t> starts;
  ArrayOrder order = ArrayOrder::c;
};
Pattern subarray(const Subarray& shape, const Pattern& element, std::int64_t element_extent);

// One rank's share of a distributed array (MPI_Type_create_darray).
enum class Distribution { none, block, cyclic };
struct DarrayDim {
  std::int64_t full = 0;
  Distribution distribution = Distribution::none;
  std::int64_t argument = 0;  // block length; 0 means MPI_DISTRIBUTE_DFLT_DARG
  std::int64_t processes = 1;
};
struct Darray {
  std::span<const DarrayDim> dims;
  std::int64_t rank = 0;  // position in the process grid, row-major whatever the array's order
  ArrayOrder order = ArrayOrder::c;
};
Pattern darray(const Darray& shape, const Pattern& element, std::int64_t element_extent);

// Rank `rank`'s elements of a vector of `elements` elements dealt out in blocks of `block` to
// `ranks`.
struct BlockCyclic {
  std::int64_t ranks = 1;
  std::int64_t rank = 0;
  std::int64_t elements = 0;
  std::int64_t block = 1;
  std::int64_t element_bytes = 1;
};
Pattern block_cyclic(const BlockCyclic& shape);

}  // namespace tutti
