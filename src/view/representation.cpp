#include "view/representation.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "view/contents.hpp"
#include "view/decode.hpp"
#include "view/element_types.hpp"
#include "view/limits.hpp"

namespace tutti {

namespace {

using Integers = std::span<const std::int64_t>;

Result<ElementMap> member_map(const Representation& representation, const TypeMember& member) {
  if (!representation.file_bytes)
    return external32_kind(member.meaning, member.part_bytes).map([&](ElementKind kind) {
      const std::int64_t each = member.part_bytes / kind.memory_bytes;
      return ElementMap::run(kind, member.parts * each);
    });
  constexpr std::int64_t kLargest = 1 << 30;
  const auto bytes = representation.file_bytes(member.type);
  if (!bytes) return tl::make_unexpected(bytes.error());
  if (*bytes <= 0 || *bytes > kLargest)
    return fail(ErrorKind::conversion,
                "the extent function gives " + std::to_string(*bytes) + " bytes for an element");
  return ElementMap::run(
      {Encoding::by_function, static_cast<std::int32_t>(member.parts * member.part_bytes),
       static_cast<std::int32_t>(*bytes)},
      1);
}

Result<ElementMap> named_map(const Representation& representation, MPI_Datatype type) {
  const auto members = members_of(type);
  if (!members) return tl::make_unexpected(members.error());
  std::vector<ElementMap> maps;
  for (const TypeMember& member : *members) {
    auto map = member_map(representation, member);
    if (!map) return map;
    maps.push_back(std::move(*map));
  }
  return ElementMap::sequence(maps);
}

// Every constructor but the structure repeats its only child.
Result<ElementMap> derived_map(MPI_Datatype type, const Contents& contents,
                               const std::vector<ElementMap>& children) {
  if (contents.combiner == Combiner::structure) {
    std::vector<ElementMap> blocks;
    for (std::size_t i = 0; i < children.size(); ++i) {
      auto block = ElementMap::repeat(contents.arguments[1 + i], children[i]);
      if (!block) return block;
      blocks.push_back(std::move(*block));
    }
    return ElementMap::sequence(blocks);
  }
  const auto whole = pattern_of(type);
  if (!whole) return tl::make_unexpected(whole.error());
  const std::int64_t child_bytes = children[0].total().memory_bytes;
  return ElementMap::repeat(child_bytes == 0 ? 0 : (*whole)->size / child_bytes, children[0]);
}

Result<Contents> checked_contents(MPI_Datatype type, Combiner combiner) {
  if (combiner == Combiner::unknown)
    return fail(ErrorKind::invalid_type, "datatype made by a constructor that is not known");
  return contents_of(type);
}

// Lower and upper bound of blocks of `child`.
class Bounds {
 public:
  explicit Bounds(const TypePattern& child) : child_(&child) {}
  void of(const TypePattern& child) { child_ = &child; }
  void add(std::int64_t offset, std::int64_t length) {
    if (length <= 0) return;
    const std::int64_t last = offset + (length - 1) * child_->extent;
    const std::int64_t low = std::min(offset, last) + child_->lb;
    const std::int64_t high = std::max(offset, last) + child_->lb + child_->extent;
    lb = any_ ? std::min(lb, low) : low;
    ub = any_ ? std::max(ub, high) : high;
    any_ = true;
  }
  std::int64_t lb = 0;
  std::int64_t ub = 0;

 private:
  const TypePattern* child_;
  bool any_ = false;
};

std::int64_t product(Integers numbers) {
  std::int64_t all = 1;
  for (const std::int64_t number : numbers) all *= number;
  return all;
}

using Child = std::shared_ptr<const TypePattern>;

Bounds bounds_of(const Contents& contents, std::span<const Child> children) {
  const Integers a = contents.arguments;
  const TypePattern& child = *children[0];
  Bounds bounds(child);
  const auto count = [&] { return static_cast<std::size_t>(a[0]); };
  const auto blocks = [&](Integers lengths, Integers places, std::int64_t unit) {
    for (std::size_t i = 0; i < places.size(); ++i)
      bounds.add(places[i] * unit, lengths.size() == 1 ? lengths[0] : lengths[i]);
  };
  switch (contents.combiner) {
    case Combiner::contiguous:
      bounds.add(0, a[0]);
      break;
    case Combiner::vector:
    case Combiner::hvector: {
      const std::int64_t stride = a[2] * (contents.combiner == Combiner::vector ? child.extent : 1);
      if (a[0] > 0) bounds.add(0, a[1]);
      if (a[0] > 0) bounds.add((a[0] - 1) * stride, a[1]);
      break;
    }
    case Combiner::indexed:
      blocks(a.subspan(1, count()), a.subspan(1 + count()), child.extent);
      break;
    case Combiner::hindexed:
      blocks(a.subspan(1, count()), a.subspan(1 + count()), 1);
      break;
    case Combiner::indexed_block:
      blocks(a.subspan(1, 1), a.subspan(2), child.extent);
      break;
    case Combiner::hindexed_block:
      blocks(a.subspan(1, 1), a.subspan(2), 1);
      break;
    case Combiner::structure:
      for (std::size_t i = 0; i < children.size(); ++i) {
        bounds.of(*children[i]);
        bounds.add(a[1 + count() + i], a[1 + i]);
      }
      break;
    case Combiner::subarray:
      bounds.add(0, product(a.subspan(1, static_cast<std::size_t>(a[0]))));
      break;
    case Combiner::darray:
      bounds.add(0, product(a.subspan(3, static_cast<std::size_t>(a[2]))));
      break;
    case Combiner::resized:
      bounds.lb = a[0];
      bounds.ub = a[0] + a[1];
      break;
    default:  // a duplicate
      bounds.add(0, 1);
  }
  return bounds;
}

bool places_in_bytes(Combiner combiner) {
  return combiner == Combiner::hvector || combiner == Combiner::hindexed ||
         combiner == Combiner::hindexed_block || combiner == Combiner::structure;
}

// A type in the file, and whether it lies there as in memory.
struct FileType {
  Child pattern;
  bool as_in_memory = true;
};

Result<FileType> in_memory(MPI_Datatype type) {
  return pattern_of(type).map([](const Child& found) { return FileType{found, true}; });
}

Result<FileType> named_type(const Representation& representation, MPI_Datatype type) {
  const auto map = named_map(representation, type);
  if (!map) return tl::make_unexpected(map.error());
  const std::int64_t bytes = map->total().file_bytes;
  const TypePattern packed{Pattern::run(bytes), 0, bytes, bytes};
  auto memory = in_memory(type);
  if (!memory || *memory->pattern == packed) return memory;
  return FileType{std::make_shared<const TypePattern>(packed), false};
}

Result<FileType> file_type(const Representation& representation, MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL)
    return fail(ErrorKind::invalid_type, "datatype is MPI_DATATYPE_NULL");
  const Combiner combiner = combiner_of(type);
  if (combiner == Combiner::named) return named_type(representation, type);
  const auto contents = checked_contents(type, combiner);
  if (!contents) return tl::make_unexpected(contents.error());
  std::vector<Child> children;
  bool as_in_memory = true;
  for (const InnerType& inner : contents->types) {
    auto child = file_type(representation, inner.get());
    if (!child) return child;
    as_in_memory = as_in_memory && child->as_in_memory;
    children.push_back(std::move(child->pattern));
  }
  if (as_in_memory) return in_memory(type);
  auto pattern = arrange(combiner, contents->arguments, children);
  if (!pattern) return tl::make_unexpected(pattern.error());
  Bounds bounds = bounds_of(*contents, children);
  if (places_in_bytes(combiner)) {
    const auto memory = pattern_of(type);
    if (!memory) return tl::make_unexpected(memory.error());
    bounds.lb = std::min(bounds.lb, (*memory)->lb);
    bounds.ub = std::max(bounds.ub, (*memory)->lb + (*memory)->extent);
  }
  const std::int64_t size = pattern->size();
  TypePattern made{std::move(*pattern), bounds.lb, bounds.ub - bounds.lb, size};
  return FileType{std::make_shared<const TypePattern>(std::move(made)), false};
}

}  // namespace

Result<ElementMap> element_map_of(const Representation& representation, MPI_Datatype type) {
  if (type == MPI_DATATYPE_NULL)
    return fail(ErrorKind::invalid_type, "datatype is MPI_DATATYPE_NULL");
  const Combiner combiner = combiner_of(type);
  if (combiner == Combiner::named) return named_map(representation, type);
  const auto contents = checked_contents(type, combiner);
  if (!contents) return tl::make_unexpected(contents.error());
  std::vector<ElementMap> children;
  for (const InnerType& inner : contents->types) {
    auto child = element_map_of(representation, inner.get());
    if (!child) return child;
    children.push_back(std::move(*child));
  }
  return derived_map(type, *contents, children);
}

Result<TypePattern> file_pattern_of(const Representation& representation, MPI_Datatype type) {
  return file_type(representation, type).map([](const FileType& found) { return *found.pattern; });
}

}  // namespace tutti
