// One datatype constructor with its arguments, and the three things a test needs from it: the real
// datatype, the reference typemap, and a text that shows how to make it again.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/basic_types.hpp"
#include "support/reference_type.hpp"

namespace tutti::test {

struct RecipeDim {
  std::int64_t full = 1;
  std::int64_t part = 1;   // subarray
  std::int64_t start = 0;  // subarray
  int distribution = MPI_DISTRIBUTE_NONE;
  int argument = MPI_DISTRIBUTE_DFLT_DARG;
  int processes = 1;
};

struct TypeRecipe {
  enum class Kind {
    duplicate,
    contiguous,
    vector,
    hvector,
    indexed,
    hindexed,
    indexed_block,
    hindexed_block,
    structure,
    subarray,
    darray,
    resized,
  };

  Kind kind = Kind::duplicate;
  bool large = false;  // use the large-count form where the host has it
  std::int64_t count = 0;
  std::int64_t length = 0;  // vectors and *_block
  std::int64_t stride = 0;  // hvector: bytes
  std::vector<std::int64_t> lengths = {};
  std::vector<std::int64_t> displacements = {};  // h*: bytes
  std::vector<RecipeDim> dims = {};
  int order = MPI_ORDER_C;
  int rank = 0;  // darray
  std::int64_t lb = 0;
  std::int64_t extent = 0;
  bool old_markers = false;  // structure: MPI_LB at lb and MPI_UB at lb + extent, as MPI-1 did
};

namespace recipe_detail {

template <class To>
std::vector<To> as(const std::vector<std::int64_t>& from) {
  std::vector<To> to;
  for (const std::int64_t value : from) to.push_back(static_cast<To>(value));
  return to;
}

template <class To, class Field>
std::vector<To> column(const std::vector<RecipeDim>& dims, Field RecipeDim::*field) {
  std::vector<To> to;
  for (const RecipeDim& dim : dims) to.push_back(static_cast<To>(dim.*field));
  return to;
}

inline int grid_size(const std::vector<RecipeDim>& dims) {
  int size = 1;
  for (const RecipeDim& dim : dims) size *= dim.processes;
  return size;
}

inline std::string list(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (const std::int64_t value : values)
    text += (text.size() > 1 ? " " : "") + std::to_string(value);
  return text + "]";
}

inline std::string dims_text(const TypeRecipe& recipe) {
  std::string text = recipe.order == MPI_ORDER_C ? "C" : "F";
  for (const RecipeDim& dim : recipe.dims) {
    text += " " + std::to_string(dim.full);
    if (recipe.kind == TypeRecipe::Kind::subarray) {
      text += ":" + std::to_string(dim.part) + "@" + std::to_string(dim.start);
      continue;
    }
    text += dim.distribution == MPI_DISTRIBUTE_BLOCK    ? "b"
            : dim.distribution == MPI_DISTRIBUTE_CYCLIC ? "c"
                                                        : "n";
    if (dim.argument != MPI_DISTRIBUTE_DFLT_DARG) text += std::to_string(dim.argument);
    text += "/" + std::to_string(dim.processes);
  }
  if (recipe.kind == TypeRecipe::Kind::darray) text += " rank " + std::to_string(recipe.rank);
  return text;
}

// Whether index `i` of the dimension belongs to process `coordinate` of it (MPI-4.0 5.1.4).
inline bool owns(const RecipeDim& dim, int coordinate, std::int64_t i) {
  if (dim.distribution == MPI_DISTRIBUTE_NONE) return true;
  const bool block = dim.distribution == MPI_DISTRIBUTE_BLOCK;
  std::int64_t length = dim.argument;
  if (dim.argument == MPI_DISTRIBUTE_DFLT_DARG)
    length = block ? (dim.full + dim.processes - 1) / dim.processes : 1;
  return block ? i / length == coordinate : (i / length) % dim.processes == coordinate;
}

// Calls visit(element number) for each element of the array that `chosen(dim, index)` holds for in
// every dimension, in storage order.
template <class Chosen, class Visit>
void for_each_element(const TypeRecipe& recipe, Chosen chosen, Visit visit) {
  const std::size_t dims = recipe.dims.size();
  std::int64_t total = 1;
  for (const RecipeDim& dim : recipe.dims) total *= dim.full;
  for (std::int64_t element = 0; element < total; ++element) {
    std::int64_t rest = element;
    bool inside = true;
    for (std::size_t k = 0; k < dims; ++k) {
      const std::size_t d = recipe.order == MPI_ORDER_C ? dims - 1 - k : k;
      inside = inside && chosen(d, rest % recipe.dims[d].full);
      rest /= recipe.dims[d].full;
    }
    if (inside) visit(element);
  }
}

inline ReferenceType array_reference(const TypeRecipe& recipe, const ReferenceType& child) {
  using Kind = TypeRecipe::Kind;
  std::vector<int> coordinates(recipe.dims.size());
  int rest = recipe.rank;
  for (std::size_t d = recipe.dims.size(); d-- > 0; rest /= recipe.dims[d].processes)
    coordinates[d] = rest % recipe.dims[d].processes;
  ReferenceType made;
  for_each_element(
      recipe,
      [&](std::size_t d, std::int64_t i) {
        const RecipeDim& dim = recipe.dims[d];
        if (recipe.kind == Kind::subarray) return i >= dim.start && i < dim.start + dim.part;
        return owns(dim, coordinates[d], i);
      },
      [&](std::int64_t element) { made.place(child, element * child.extent); });
  std::int64_t total = 1;
  for (const RecipeDim& dim : recipe.dims) total *= dim.full;
  made.set_markers(0, total * child.extent);
  return made;
}

}  // namespace recipe_detail

inline ReferenceType reference_of(const TypeRecipe& recipe,
                                  std::span<const ReferenceType* const> children) {
  using Kind = TypeRecipe::Kind;
  const ReferenceType& child = *children[0];
  ReferenceType made;
  switch (recipe.kind) {
    case Kind::duplicate:
      return child;
    case Kind::contiguous:
      made.place_block(child, recipe.count, 0);
      break;
    case Kind::vector:
      for (std::int64_t i = 0; i < recipe.count; ++i)
        made.place_block(child, recipe.length, i * recipe.stride * child.extent);
      break;
    case Kind::hvector:
      for (std::int64_t i = 0; i < recipe.count; ++i)
        made.place_block(child, recipe.length, i * recipe.stride);
      break;
    case Kind::indexed:
      for (std::size_t i = 0; i < recipe.lengths.size(); ++i)
        made.place_block(child, recipe.lengths[i], recipe.displacements[i] * child.extent);
      break;
    case Kind::hindexed:
      for (std::size_t i = 0; i < recipe.lengths.size(); ++i)
        made.place_block(child, recipe.lengths[i], recipe.displacements[i]);
      break;
    case Kind::indexed_block:
      for (const std::int64_t displacement : recipe.displacements)
        made.place_block(child, recipe.length, displacement * child.extent);
      break;
    case Kind::hindexed_block:
      for (const std::int64_t displacement : recipe.displacements)
        made.place_block(child, recipe.length, displacement);
      break;
    case Kind::structure:
      for (std::size_t i = 0; i < recipe.lengths.size(); ++i)
        made.place_block(*children[i], recipe.lengths[i], recipe.displacements[i]);
      if (recipe.old_markers) {
        ReferenceType markers;
        markers.set_markers(recipe.lb, recipe.lb + recipe.extent);
        made.place(markers, 0);
      }
      break;
    case Kind::subarray:
    case Kind::darray:
      made = recipe_detail::array_reference(recipe, child);
      break;
    case Kind::resized:
      made.place(child, 0);
      made.set_markers(recipe.lb, recipe.lb + recipe.extent);
      break;
  }
  made.compute_bounds();
  // MPICH rounds a structure's extent up to its alignment even if its bounds are explicit.
  if (recipe.kind == Kind::structure && made.ub_marker && made.extent % made.alignment() != 0)
    made.host_decides_bounds = true;
  return made;
}

inline std::string text_of(const TypeRecipe& recipe, std::span<const std::string> children) {
  using Kind = TypeRecipe::Kind;
  using recipe_detail::list;
  const auto call = [&](const std::string& name, const std::string& arguments) {
    std::string text = name + (recipe.large ? "_c(" : "(") + arguments;
    for (const std::string& child : children) text += ", " + child;
    return text + ")";
  };
  const std::string vector_arguments = std::to_string(recipe.count) + " " +
                                       std::to_string(recipe.length) + " " +
                                       std::to_string(recipe.stride);
  const std::string block_arguments =
      std::to_string(recipe.length) + " " + list(recipe.displacements);
  const std::string list_arguments = list(recipe.lengths) + " " + list(recipe.displacements);
  const std::string bounds = std::to_string(recipe.lb) + " " + std::to_string(recipe.extent);
  switch (recipe.kind) {
    case Kind::duplicate:
      return call("dup", "");
    case Kind::contiguous:
      return call("contiguous", std::to_string(recipe.count));
    case Kind::vector:
      return call("vector", vector_arguments);
    case Kind::hvector:
      return call("hvector", vector_arguments);
    case Kind::indexed:
      return call("indexed", list_arguments);
    case Kind::hindexed:
      return call("hindexed", list_arguments);
    case Kind::indexed_block:
      return call("indexed_block", block_arguments);
    case Kind::hindexed_block:
      return call("hindexed_block", block_arguments);
    case Kind::structure:
      return call("struct", list_arguments + (recipe.old_markers ? " LB/UB " + bounds : ""));
    case Kind::subarray:
      return call("subarray", recipe_detail::dims_text(recipe));
    case Kind::darray:
      return call("darray", recipe_detail::dims_text(recipe));
    case Kind::resized:
      return call("resized", bounds);
  }
  return {};
}

}  // namespace tutti::test
