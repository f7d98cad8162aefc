#include "view/decode.hpp"

#include <span>
#include <string>
#include <vector>

#include "pattern/shapes.hpp"
#include "view/contents.hpp"
#include "view/limits.hpp"
#include "view/named_types.hpp"

namespace tutti {

namespace {

using Integers = std::span<const std::int64_t>;
using Child = std::shared_ptr<const TypePattern>;

// `count` blocks of `length` children, one every `stride` bytes.
Result<Pattern> decode_vector(std::int64_t count, std::int64_t length, std::int64_t stride,
                              const TypePattern& child) {
  return checked_repeat(length, child.extent, child.pattern).and_then([&](const Pattern& block) {
    return checked_repeat(count, stride, block);
  });
}

// Blocks of lengths[i] children (or of lengths[0] if there is one only) at displacements[i] · unit.
struct BlockList {
  Integers lengths;
  Integers displacements;
  std::int64_t unit = 1;

  std::size_t count() const { return displacements.size(); }
  std::int64_t length(std::size_t i) const { return lengths.size() == 1 ? lengths[0] : lengths[i]; }
  bool single() const {
    for (const std::int64_t length : lengths)
      if (length > 1) return false;
    return true;
  }
};

Result<Pattern> decode_runs(const BlockList& blocks, const TypePattern& child) {
  std::vector<Extent> runs;
  runs.reserve(blocks.count());
  for (std::size_t i = 0; i < blocks.count(); ++i) {
    const auto offset = checked_offset(blocks.displacements[i], blocks.unit, child.pattern.first());
    const auto bytes = checked_offset(blocks.length(i), child.size, 0);
    if (!offset || !bytes) return too_wide();
    runs.push_back({*offset, *bytes});
  }
  return Pattern::tuples(runs);
}

Result<Pattern> decode_blocks(const BlockList& blocks, const TypePattern& child) {
  const bool dense = child.size == child.extent || blocks.single();
  if (child.pattern.is_contiguous() && dense) return decode_runs(blocks, child);
  std::vector<Pattern::Placed> placed;
  placed.reserve(blocks.count());
  std::int64_t last_length = -1;
  Pattern block;
  for (std::size_t i = 0; i < blocks.count(); ++i) {
    if (blocks.length(i) != last_length) {
      last_length = blocks.length(i);
      auto made = checked_repeat(last_length, child.extent, child.pattern);
      if (!made) return made;
      block = *made;
    }
    const auto offset = checked_offset(blocks.displacements[i], blocks.unit, 0);
    if (!offset) return too_wide();
    if (!block.empty()) placed.push_back({*offset, block});
  }
  return Pattern::sequence(placed);
}

Result<Pattern> decode_structure(Integers lengths, Integers displacements,
                                 std::span<const Child> children) {
  std::vector<Pattern::Placed> placed;
  placed.reserve(children.size());
  for (std::size_t i = 0; i < children.size(); ++i) {
    auto block = checked_repeat(lengths[i], children[i]->extent, children[i]->pattern);
    if (!block) return block;
    const auto offset = checked_offset(displacements[i], 1, 0);
    if (!offset) return too_wide();
    if (!block->empty()) placed.push_back({*offset, std::move(*block)});
  }
  return Pattern::sequence(placed);
}

ArrayOrder order_of(std::int64_t order) {
  return order == MPI_ORDER_FORTRAN ? ArrayOrder::fortran : ArrayOrder::c;
}

// Whether the whole array stays within the limit, so that no index of it can overflow.
bool array_fits(Integers sizes, const TypePattern& child) {
  std::int64_t elements = 1;
  for (const std::int64_t size : sizes) {
    const auto product = checked_offset(elements, size, 0);
    if (!product) return false;
    elements = *product;
  }
  return checked_repeat(elements, child.extent, child.pattern).has_value();
}

// Arguments: ndims, sizes, subsizes, starts, order.
Result<Pattern> decode_subarray(Integers arguments, const TypePattern& child) {
  const auto dims = static_cast<std::size_t>(arguments[0]);
  const Integers full = arguments.subspan(1, dims);
  if (!array_fits(full, child)) return too_wide();
  const Subarray shape{full, arguments.subspan(1 + dims, dims),
                       arguments.subspan(1 + 2 * dims, dims), order_of(arguments[1 + 3 * dims])};
  return subarray(shape, child.pattern, child.extent);
}

Distribution distribution_of(std::int64_t distribution) {
  if (distribution == MPI_DISTRIBUTE_BLOCK) return Distribution::block;
  return distribution == MPI_DISTRIBUTE_CYCLIC ? Distribution::cyclic : Distribution::none;
}

// Arguments: size, rank, ndims, gsizes, distribs, dargs, psizes, order.
Result<Pattern> decode_darray(Integers arguments, const TypePattern& child) {
  const auto dims = static_cast<std::size_t>(arguments[2]);
  const auto list = [&](std::size_t n) { return arguments.subspan(3 + n * dims, dims); };
  if (!array_fits(list(0), child)) return too_wide();
  std::vector<DarrayDim> shape(dims);
  for (std::size_t d = 0; d < dims; ++d) {
    const std::int64_t argument = list(2)[d];
    shape[d] = {list(0)[d], distribution_of(list(1)[d]),
                argument == MPI_DISTRIBUTE_DFLT_DARG ? 0 : argument, list(3)[d]};
  }
  return darray({shape, arguments[1], order_of(arguments[3 + 4 * dims])}, child.pattern,
                child.extent);
}

}  // namespace

Result<Pattern> arrange(Combiner combiner, Integers a, std::span<const Child> children) {
  const auto count = [&] { return static_cast<std::size_t>(a[0]); };
  if (combiner == Combiner::structure)
    return decode_structure(a.subspan(1, count()), a.subspan(1 + count()), children);
  const TypePattern& child = *children[0];
  switch (combiner) {
    case Combiner::duplicate:
    case Combiner::resized:
      return child.pattern;
    case Combiner::contiguous:
      return checked_repeat(a[0], child.extent, child.pattern);
    case Combiner::vector: {
      const auto stride = checked_offset(a[2], child.extent, 0);
      if (!stride) return too_wide();
      return decode_vector(a[0], a[1], *stride, child);
    }
    case Combiner::hvector:
      return decode_vector(a[0], a[1], a[2], child);
    case Combiner::indexed:
      return decode_blocks({a.subspan(1, count()), a.subspan(1 + count()), child.extent}, child);
    case Combiner::hindexed:
      return decode_blocks({a.subspan(1, count()), a.subspan(1 + count()), 1}, child);
    case Combiner::indexed_block:
      return decode_blocks({a.subspan(1, 1), a.subspan(2), child.extent}, child);
    case Combiner::hindexed_block:
      return decode_blocks({a.subspan(1, 1), a.subspan(2), 1}, child);
    case Combiner::subarray:
      return decode_subarray(a, child);
    case Combiner::darray:
      return decode_darray(a, child);
    default:
      return fail(ErrorKind::invalid_type, "datatype made by a constructor that is not known");
  }
}

namespace {

Result<Pattern> decode_derived(MPI_Datatype type, Combiner combiner) {
  if (combiner == Combiner::unknown)
    return fail(ErrorKind::invalid_type, "datatype made by a constructor that is not known");
  const auto contents = contents_of(type);
  if (!contents) return tl::make_unexpected(contents.error());
  std::vector<Child> children;
  children.reserve(contents->types.size());
  for (const InnerType& inner : contents->types) {
    auto child = pattern_of(inner.get());
    if (!child) return tl::make_unexpected(child.error());
    children.push_back(std::move(*child));
  }
  return arrange(combiner, contents->arguments, children);
}

}  // namespace

Result<TypePattern> decode(MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL)
    return fail(ErrorKind::invalid_type, "datatype is MPI_DATATYPE_NULL");
  const Combiner combiner = combiner_of(type);
  if (combiner == Combiner::named)
    return named_pattern(type).map([](const TypePattern* named) { return *named; });
  auto pattern = decode_derived(type, combiner);
  if (!pattern) return tl::make_unexpected(pattern.error());
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  MPI_Count size = 0;
  PMPI_Type_get_extent_x(type, &lb, &extent);
  PMPI_Type_size_x(type, &size);
  if (size != pattern->size())
    return fail(ErrorKind::internal, "datatype of " + std::to_string(size) + " bytes decoded to " +
                                         std::to_string(pattern->size()));
  return TypePattern{std::move(*pattern), lb, extent, size};
}

Result<Pattern> elements_of(const TypePattern& type, std::int64_t count) {
  if (count < 0)
    return fail(ErrorKind::invalid_count, "count " + std::to_string(count) + " is negative");
  auto all = checked_repeat(count, type.extent, type.pattern);
  if (!all)
    return fail(ErrorKind::invalid_count,
                std::to_string(count) + " elements spread over 2^61 bytes or more");
  return all;
}

}  // namespace tutti
