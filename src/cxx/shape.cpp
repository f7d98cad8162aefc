#include "tutti/shape.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "cxx/values.hpp"
#include "pattern/shapes.hpp"

namespace tutti::io {

namespace {

// Sums and products are taken with more bits than they may have in the end.
__extension__ using Wide = __int128;
constexpr std::int64_t kLimit = std::int64_t{1} << 61;
constexpr bool fits(Wide value) { return value >= -kLimit && value <= kLimit; }

Shape sound(Pattern pattern) {
  return Shape(std::make_shared<const detail::ShapeData>(
      detail::ShapeData{std::move(pattern), std::nullopt}));
}

Shape wrong(std::string what) {
  return Shape(std::make_shared<const detail::ShapeData>(
      detail::ShapeData{{}, tutti::Error{tutti::ErrorKind::invalid_argument, std::move(what)}}));
}

bool is_wrong(const Shape& shape) { return shape.data() != nullptr && shape.data()->error; }

ArrayOrder order_of(Order order) { return order == Order::c ? ArrayOrder::c : ArrayOrder::fortran; }

Distribution distribution_of(Deal deal) {
  switch (deal) {
    case Deal::block:
      return Distribution::block;
    case Deal::cyclic:
      return Distribution::cyclic;
    case Deal::none:
      break;
  }
  return Distribution::none;
}

// A block longer than its dimension holds all of it, as does one that is exactly as long.
tutti::DarrayDim engine_dim(const DarrayDim& dim) {
  const std::int64_t block = std::min(dim.block, std::max<std::int64_t>(dim.full, 1));
  return {dim.full, distribution_of(dim.deal), block, dim.processes};
}

// What is wrong with one dimension of a distributed array; empty if nothing is.
std::string dim_problem(const DarrayDim& dim) {
  if (dim.full < 0 || dim.block < 0 || dim.processes < 1)
    return "a dimension has a negative size or block, or no process";
  if (dim.deal == Deal::none && dim.processes != 1)
    return "a dimension that is not distributed has more than one process";
  if (dim.deal == Deal::block && dim.block > 0 && Wide{dim.block} * dim.processes < dim.full)
    return "the blocks of a dimension do not hold it";
  return {};
}

// Whether all distances inside the array stay below the limit: `dims` from the fastest-varying one.
bool distances_fit(std::span<const tutti::DarrayDim> dims, std::int64_t element_bytes) {
  Wide index_bytes = element_bytes;
  for (const tutti::DarrayDim& dim : dims) {
    const std::int64_t even = (dim.full - 1) / dim.processes + 1;
    if (!fits(index_bytes * std::max({dim.argument, even, std::int64_t{1}}) * dim.processes))
      return false;
    index_bytes *= std::max<std::int64_t>(dim.full, 1);
    if (!fits(index_bytes)) return false;
  }
  return true;
}

}  // namespace

Shape Shape::run(std::int64_t bytes, std::int64_t offset) {
  if (bytes < 0) return wrong("a run has a negative length");
  if (!fits(offset) || !fits(Wide{offset} + bytes)) return wrong("a run is too large");
  return sound(Pattern::run(bytes, offset));
}

Shape Shape::repeat(std::int64_t count, std::int64_t stride, const Shape& child) {
  if (is_wrong(child)) return child;
  if (count < 0) return wrong("a repetition has a negative count");
  const Wide way = Wide{std::max<std::int64_t>(count - 1, 0)} * stride;
  if (!fits(Wide{count} * child.bytes()) || !fits(way) || !fits(child.lower() + way) ||
      !fits(child.upper() + way))
    return wrong("a repetition is too large");
  return sound(Pattern::repeat(count, stride, pattern_of(child)));
}

Shape Shape::tuples(std::span<const Extent> runs) {
  std::vector<tutti::Extent> list;
  list.reserve(runs.size());
  Wide bytes = 0;
  for (const Extent& run : runs) {
    if (run.bytes < 0) return wrong("a tuple has a negative length");
    bytes += run.bytes;
    if (!fits(run.offset) || !fits(Wide{run.offset} + run.bytes) || !fits(bytes))
      return wrong("a tuple is too large");
    list.push_back({run.offset, run.bytes});
  }
  return sound(Pattern::tuples(list));
}

Shape Shape::sequence(std::span<const Shape> parts) {
  std::vector<Pattern::Placed> list;
  list.reserve(parts.size());
  Wide bytes = 0;
  for (const Shape& part : parts) {
    if (is_wrong(part)) return part;
    bytes += part.bytes();
    if (!fits(bytes)) return wrong("a sequence is too large");
    list.push_back({0, pattern_of(part)});
  }
  return sound(Pattern::sequence(list));
}

Shape Shape::subarray(const Subarray& box, std::int64_t element_bytes) {
  if (box.sizes.size() != box.full.size() || box.starts.size() != box.full.size())
    return wrong("the lists of a subarray have different lengths");
  if (element_bytes < 1) return wrong("the element size of a subarray is not positive");
  Wide bytes = element_bytes;
  for (std::size_t d = 0; d < box.full.size(); ++d) {
    if (box.sizes[d] < 0 || box.starts[d] < 0 || box.starts[d] > box.full[d] ||
        box.sizes[d] > box.full[d] - box.starts[d])
      return wrong("a subarray leaves its array in dimension " + std::to_string(d));
    bytes *= std::max<std::int64_t>(box.full[d], 1);
    if (!fits(bytes)) return wrong("the array of a subarray is too large");
  }
  return sound(tutti::subarray({box.full, box.sizes, box.starts, order_of(box.order)},
                               Pattern::run(element_bytes), element_bytes));
}

Shape Shape::darray(const Darray& share, std::int64_t element_bytes) {
  if (element_bytes < 1) return wrong("the element size of a distributed array is not positive");
  std::vector<tutti::DarrayDim> dims;
  Wide processes = 1;
  for (const DarrayDim& dim : share.dims) {
    if (const std::string problem = dim_problem(dim); !problem.empty()) return wrong(problem);
    processes *= dim.processes;
    if (!fits(processes)) return wrong("a process grid is too large");
    dims.push_back(engine_dim(dim));
  }
  if (share.rank < 0 || share.rank >= processes)
    return wrong("the rank is not in the process grid of a distributed array");
  std::vector<tutti::DarrayDim> from_fastest = dims;
  if (share.order == Order::c) std::ranges::reverse(from_fastest);
  if (!distances_fit(from_fastest, element_bytes)) return wrong("a distributed array is too large");
  return sound(tutti::darray({dims, share.rank, order_of(share.order)}, Pattern::run(element_bytes),
                             element_bytes));
}

Shape Shape::block_cyclic(const BlockCyclic& share) {
  if (share.ranks < 1 || share.rank < 0 || share.rank >= share.ranks)
    return wrong("the rank is not among the ranks of a block-cyclic vector");
  if (share.elements < 0 || share.block < 1 || share.element_bytes < 1)
    return wrong("a block-cyclic vector has a negative size, or an empty block or element");
  const DarrayDim dim{share.elements, Deal::cyclic, share.block, share.ranks};
  return darray({{&dim, 1}, share.rank}, share.element_bytes);
}

Shape Shape::shifted(std::int64_t by) const {
  if (is_wrong(*this)) return *this;
  if (!fits(by) || !fits(Wide{lower()} + by) || !fits(Wide{upper()} + by))
    return wrong("a shape is moved too far");
  return sound(pattern_of(*this).shifted(by));
}

std::int64_t Shape::bytes() const { return pattern_of(*this).size(); }
std::int64_t Shape::lower() const { return pattern_of(*this).lower(); }
std::int64_t Shape::upper() const { return pattern_of(*this).upper(); }

std::optional<Error> Shape::error() const {
  if (!is_wrong(*this)) return std::nullopt;
  return public_error(*data_->error);
}

}  // namespace tutti::io
