#include "pattern/shapes.hpp"

#include <algorithm>
#include <vector>

namespace tutti {

namespace {

// Dimension indices from the fastest-varying to the slowest.
std::size_t fastest(std::size_t position, std::size_t dims, ArrayOrder order) {
  return order == ArrayOrder::c ? dims - 1 - position : position;
}

// The indices of one dimension that belong to `coordinate`, with `inner` placed at each of them.
Pattern deal(const DarrayDim& dim, std::int64_t coordinate, const Pattern& inner,
             std::int64_t index_bytes) {
  if (dim.distribution == Distribution::none) return Pattern::repeat(dim.full, index_bytes, inner);
  const std::int64_t even = (dim.full + dim.processes - 1) / dim.processes;
  const bool block = dim.distribution == Distribution::block;
  const std::int64_t length = dim.argument > 0 ? dim.argument : (block ? even : 1);
  const std::int64_t first = coordinate * length;
  if (first >= dim.full) return {};
  if (block)
    return Pattern::repeat(std::min(length, dim.full - first), index_bytes, inner)
        .shifted(first * index_bytes);
  const std::int64_t cycle = length * dim.processes;
  const std::int64_t blocks = (dim.full - first + cycle - 1) / cycle;
  const std::int64_t last_length = std::min(length, dim.full - first - (blocks - 1) * cycle);
  const Pattern whole_block = Pattern::repeat(length, index_bytes, inner);
  if (last_length == length)
    return Pattern::repeat(blocks, cycle * index_bytes, whole_block).shifted(first * index_bytes);
  const Pattern::Placed parts[] = {
      {first * index_bytes, Pattern::repeat(blocks - 1, cycle * index_bytes, whole_block)},
      {(first + (blocks - 1) * cycle) * index_bytes,
       Pattern::repeat(last_length, index_bytes, inner)}};
  return Pattern::sequence(parts);
}

}  // namespace

Pattern subarray(const Subarray& shape, const Pattern& element, std::int64_t element_extent) {
  Pattern inner = element;
  std::int64_t index_bytes = element_extent;
  const std::size_t dims = shape.full.size();
  for (std::size_t position = 0; position < dims; ++position) {
    const std::size_t d = fastest(position, dims, shape.order);
    inner =
        Pattern::repeat(shape.sizes[d], index_bytes, inner).shifted(shape.starts[d] * index_bytes);
    index_bytes *= shape.full[d];
  }
  return inner;
}

Pattern darray(const Darray& shape, const Pattern& element, std::int64_t element_extent) {
  const std::size_t dims = shape.dims.size();
  std::vector<std::int64_t> coordinates(dims);
  std::int64_t rest = shape.rank;
  for (std::size_t d = dims; d-- > 0;) {
    coordinates[d] = rest % shape.dims[d].processes;
    rest /= shape.dims[d].processes;
  }
  Pattern inner = element;
  std::int64_t index_bytes = element_extent;
  for (std::size_t position = 0; position < dims; ++position) {
    const std::size_t d = fastest(position, dims, shape.order);
    inner = deal(shape.dims[d], coordinates[d], inner, index_bytes);
    index_bytes *= shape.dims[d].full;
  }
  return inner;
}

Pattern block_cyclic(const BlockCyclic& shape) {
  const DarrayDim dim{shape.elements, Distribution::cyclic, shape.block, shape.ranks};
  return deal(dim, shape.rank, Pattern::run(shape.element_bytes), shape.element_bytes);
}

}  // namespace tutti
