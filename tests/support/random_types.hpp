// Random nested datatypes of every constructor, each with a reference typemap.
//
//   RandomTypes types(seed, {.use = TypeUse::file_write, .max_bytes = 4096});
//   RandomType type = types.next();   // type.type is committed and freed with `type`
#pragma once

#include <mpi.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/basic_types.hpp"
#include "support/reference_type.hpp"
#include "support/type_constructors.hpp"
#include "support/type_recipe.hpp"

namespace tutti::test {

enum class TypeUse {
  send,        // memory that is read: negative displacements, any order, a byte may occur twice
  receive,     // memory that is written: the same, but no byte occurs twice
  file_write,  // ascending from 0, no byte twice, also when tiled
  file_read,   // displacements never negative nor decreasing; may overlap itself and when tiled
};

struct RandomTypeLimits {
  TypeUse use = TypeUse::send;
  std::int64_t max_bytes = 1024;  // of data
  int max_depth = 4;              // constructors inside each other
  bool empty_parts = true;        // zero counts, zero lengths, types without bytes
};

struct RandomType {
  OwnedType type;                   // committed
  std::vector<std::int64_t> bytes;  // offsets of all data bytes in typemap order
  std::vector<BasicDatum> typemap;
  std::int64_t lb = 0;
  std::int64_t extent = 0;
  std::string text;                  // how to make it
  bool host_decides_bounds = false;  // lb and extent are the host's, see ReferenceType
  bool host_packs_it = true;         // false: the host's own copying of this type is known to fail
};

class RandomTypes {
 public:
  RandomTypes(std::uint64_t seed, RandomTypeLimits limits) : random_(seed), limits_(limits) {}

  // Equal seeds and limits give equal sequences.
  RandomType next() {
    Draft draft = make(limits_.max_depth, limits_.max_bytes);
    if (is_file() && !tiles_well(draft.reference)) draft = tileable(draft);
    if (draft.owner.empty()) draft = build({.kind = TypeRecipe::Kind::duplicate}, {&draft, 1});
    MPI_Datatype handle = draft.owner.release();
    MPI_Type_commit(&handle);
    const ReferenceType& reference = draft.reference;
    return {.type = OwnedType(handle),
            .bytes = reference.bytes(),
            .typemap = reference.typemap,
            .lb = reference.lb,
            .extent = reference.extent,
            .text = draft.text,
            .host_decides_bounds = reference.host_decides_bounds,
            .host_packs_it = host_packs(draft)};
  }

 private:
  using Kind = TypeRecipe::Kind;

  struct Draft {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    OwnedType owner;  // empty for predefined types and after a failed construction
    ReferenceType reference;
    std::string text;
  };

  std::int64_t draw(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, std::max(low, high))(random_);
  }
  bool chance(int percent) { return draw(1, 100) <= percent; }
  bool is_file() const {
    return limits_.use == TypeUse::file_write || limits_.use == TypeUse::file_read;
  }

  Draft predefined() {
    const BasicType& basic =
        basic_[static_cast<std::size_t>(draw(0, static_cast<std::int64_t>(basic_.size()) - 1))];
    return {basic.type, {}, basic.reference, basic.name};
  }

  Draft make(int depth, std::int64_t budget) {
    if (depth == 0 || chance(8)) return predefined();
    const bool several = chance(25);
    std::vector<Draft> children;
    const std::int64_t members = several ? draw(2, 4) : 1;
    for (std::int64_t i = 0; i < members; ++i)
      children.push_back(make(static_cast<int>(draw(0, depth - 1)), draw(1, budget / members)));
    for (int attempt = 0; attempt < 20; ++attempt) {
      const TypeRecipe recipe = several ? structure(children) : recipe_for(children[0], budget);
      if (host_mistakes(recipe, children[0].reference)) continue;
      Draft made = build(recipe, children);
      if (!made.owner.empty() && acceptable(made.reference, budget)) return made;
    }
    return std::move(children[0]);
  }

  // MPICH 4.0 does not copy the padding of a long double, divides by zero on some types with empty
  // parts, and misplaces some repetitions of types with a negative extent.
  static bool host_packs(const Draft& draft) {
#if defined(TUTTI_HOST_MPICH)
    const ReferenceType& reference = draft.reference;
    return draft.text.find("LONG_DOUBLE") == std::string::npos && !reference.holds_empty &&
           !reference.holds_backward;
#else
    static_cast<void>(draft);
    return true;
#endif
  }

  // Open MPI's constructors take a stride of -1 byte for "the extent of the old type".
  static bool host_mistakes(const TypeRecipe& recipe, const ReferenceType& child) {
#if defined(TUTTI_HOST_OPENMPI)
    return (recipe.kind == Kind::hvector && recipe.stride == -1) ||
           (recipe.kind == Kind::vector && recipe.stride * child.extent == -1);
#else
    static_cast<void>(recipe);
    static_cast<void>(child);
    return false;
#endif
  }

  Draft build(const TypeRecipe& recipe, std::span<const Draft> children) {
    std::vector<MPI_Datatype> handles;
    std::vector<const ReferenceType*> references;
    std::vector<std::string> texts;
    for (const Draft& child : children) {
      handles.push_back(child.type);
      references.push_back(&child.reference);
      texts.push_back(child.text);
    }
    Draft made;
    made.reference = reference_of(recipe, references);
    made.owner = construct(recipe, handles);
    made.type = made.owner.get();
    made.text = text_of(recipe, texts);
    if (made.reference.host_decides_bounds && !made.owner.empty()) {
      MPI_Aint lb = 0;
      MPI_Aint extent = 0;
      MPI_Type_get_extent(made.type, &lb, &extent);
      made.reference.lb = lb;
      made.reference.extent = extent;
    }
    return made;
  }

  bool acceptable(const ReferenceType& type, std::int64_t budget) const {
    if (type.size() > std::max<std::int64_t>(budget, 64)) return false;
    if (type.upper() - type.lower() > kMaxSpan || std::abs(type.extent) > kMaxSpan) return false;
    if (!limits_.empty_parts && type.typemap.empty()) return false;
    switch (limits_.use) {
      case TypeUse::send:
        return true;
      case TypeUse::receive:
        return !type.has_byte_twice();
      case TypeUse::file_write:
        return type.ascends_without_overlap();
      case TypeUse::file_read:
        return type.is_ordered_and_non_negative();
    }
    return false;
  }

  bool tiles_well(const ReferenceType& type) const {
    if (limits_.use == TypeUse::file_read) return type.extent >= 0;
    return type.extent >= type.upper() - type.lower();
  }

  Draft tileable(const Draft& draft) {
    return build({.kind = Kind::resized, .lb = 0, .extent = draft.reference.upper() + draw(0, 24)},
                 {&draft, 1});
  }

  std::int64_t count_for(const ReferenceType& child, std::int64_t budget) {
    if (limits_.empty_parts && chance(4)) return 0;
    return draw(1, std::min<std::int64_t>(12, budget / std::max<std::int64_t>(1, child.size())));
  }

  // A distance in bytes near `least`, on the child's alignment or off it.
  std::int64_t byte_gap(const ReferenceType& child, std::int64_t least) {
    const std::int64_t unit = chance(70) ? child.alignment() : 1;
    const std::int64_t reach = 3 * std::abs(child.extent) + 8;
    const std::int64_t low = is_file() ? least : -reach;
    return (draw(low, least + reach) + unit - 1) / unit * unit;
  }

  TypeRecipe recipe_for(const Draft& child, std::int64_t budget) {
    TypeRecipe recipe;
    recipe.kind = static_cast<Kind>(draw(0, static_cast<int>(Kind::resized)));
    recipe.large = chance(30);
    const std::int64_t total = count_for(child.reference, budget);
    switch (recipe.kind) {
      case Kind::duplicate:
        break;
      case Kind::contiguous:
        recipe.count = total;
        break;
      case Kind::vector:
      case Kind::hvector:
        fill_vector(recipe, child.reference, total);
        break;
      case Kind::indexed:
      case Kind::hindexed:
      case Kind::indexed_block:
      case Kind::hindexed_block:
        fill_blocks(recipe, child.reference, total);
        break;
      case Kind::structure:
        return structure({&child, 1});
      case Kind::subarray:
      case Kind::darray:
        fill_array(recipe);
        break;
      case Kind::resized:
        fill_resized(recipe, child.reference);
        break;
    }
    return recipe;
  }

  void fill_vector(TypeRecipe& recipe, const ReferenceType& child, std::int64_t total) {
    recipe.length =
        limits_.empty_parts && chance(3) ? 0 : draw(1, std::min<std::int64_t>(4, total));
    recipe.count = total / std::max<std::int64_t>(1, recipe.length);
    const std::int64_t least = limits_.use == TypeUse::file_read ? 0 : recipe.length;
    recipe.stride = is_file() ? draw(least, recipe.length + 4)
                              : draw(-2 * recipe.length - 3, 2 * recipe.length + 3);
    if (recipe.kind == Kind::hvector) recipe.stride = byte_gap(child, least * child.extent);
  }

  void fill_blocks(TypeRecipe& recipe, const ReferenceType& child, std::int64_t total) {
    const bool in_bytes = recipe.kind == Kind::hindexed || recipe.kind == Kind::hindexed_block;
    const bool one_length =
        recipe.kind == Kind::indexed_block || recipe.kind == Kind::hindexed_block;
    const std::int64_t unit = in_bytes ? 1 : std::max<std::int64_t>(1, child.extent);
    const bool regular = chance(25);
    const std::int64_t step = draw(0, 3);
    recipe.length = draw(limits_.empty_parts && chance(3) ? 0 : 1, 3);
    std::int64_t end = 0;  // in bytes
    for (std::int64_t placed = 0; placed < total;) {
      std::int64_t length = recipe.length;
      if (!one_length && !regular) length = draw(limits_.empty_parts ? 0 : 1, 3);
      const std::int64_t least = limits_.use == TypeUse::file_read ? end - end / 2 : end;
      std::int64_t at = byte_gap(child, least);
      if (regular) at = end + step * std::abs(child.extent);
      at = in_bytes ? at : (at + unit - 1) / unit;
      recipe.lengths.push_back(length);
      recipe.displacements.push_back(at);
      end = at * unit + length * std::max<std::int64_t>(0, child.extent);
      placed += std::max<std::int64_t>(1, length);
    }
  }

  TypeRecipe structure(std::span<const Draft> children) {
    TypeRecipe recipe;
    recipe.kind = Kind::structure;
    recipe.large = chance(30);
    std::int64_t end = 0;
    for (const Draft& child : children) {
      recipe.lengths.push_back(limits_.empty_parts && chance(6) ? 0 : draw(1, 2));
      recipe.displacements.push_back(byte_gap(child.reference, end));
      end = recipe.displacements.back() +
            recipe.lengths.back() * std::max<std::int64_t>(0, child.reference.extent);
    }
    if (chance(12)) {
      recipe.old_markers = true;
      recipe.lb = is_file() ? 0 : draw(-16, 16);
      recipe.extent = end + draw(0, 32);
    }
    return recipe;
  }

  void fill_array(TypeRecipe& recipe) {
    recipe.order = chance(50) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    recipe.dims.resize(static_cast<std::size_t>(draw(1, 3)));
    int processes = 1;
    for (RecipeDim& dim : recipe.dims) {
      dim.full = draw(1, 7);
      dim.part = draw(1, dim.full);
      dim.start = draw(0, dim.full - dim.part);
      if (recipe.kind == Kind::subarray || chance(25)) continue;
      dim.processes = static_cast<int>(draw(1, 3));
      dim.distribution = chance(50) ? MPI_DISTRIBUTE_BLOCK : MPI_DISTRIBUTE_CYCLIC;
      if (chance(60))
        dim.argument =
            static_cast<int>(dim.distribution == MPI_DISTRIBUTE_CYCLIC
                                 ? draw(1, 3)
                                 : draw((dim.full + dim.processes - 1) / dim.processes, dim.full));
      processes *= dim.processes;
    }
    recipe.rank = static_cast<int>(draw(0, processes - 1));
  }

  void fill_resized(TypeRecipe& recipe, const ReferenceType& child) {
    const std::int64_t span = child.upper() - child.lower();
    recipe.lb = chance(40) ? child.lower() : draw(is_file() ? 0 : -24, 24);
    recipe.extent = span + draw(0, 32);
    if (chance(25)) recipe.extent = draw(0, span);
    if (!is_file() && chance(5)) recipe.extent = -draw(1, 32);
    if (chance(60)) {  // keep to the alignment, where the standard fixes the bounds of users
      const std::int64_t unit = child.alignment();
      recipe.lb = recipe.lb / unit * unit;
      recipe.extent = (recipe.extent + unit - 1) / unit * unit;
    }
  }

  static constexpr std::int64_t kMaxSpan = 1 << 16;

  std::mt19937_64 random_;
  RandomTypeLimits limits_;
  std::vector<BasicType> basic_ = basic_types();
};

}  // namespace tutti::test
