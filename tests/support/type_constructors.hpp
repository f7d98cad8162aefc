// From a TypeRecipe to a real datatype, through the int or the large-count constructors.
#pragma once

#include <mpi.h>

#include <span>
#include <vector>

#include "mpi/owned.hpp"
#include "support/type_recipe.hpp"

namespace tutti::test {

namespace recipe_detail {

// Errors of datatype functions are raised on MPI_COMM_WORLD, where they would end the test.
class ErrorsReturned {
 public:
  ErrorsReturned() {
    MPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;
  ~ErrorsReturned() {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    MPI_Errhandler_free(&before_);
  }

 private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

inline int small(std::int64_t value) { return static_cast<int>(value); }

struct StructArguments {
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> displacements;
  std::vector<MPI_Datatype> types;
};

inline StructArguments struct_arguments(const TypeRecipe& recipe,
                                        std::span<const MPI_Datatype> children) {
  StructArguments all{recipe.lengths, recipe.displacements, {children.begin(), children.end()}};
  if (recipe.old_markers) {
    all.lengths.insert(all.lengths.end(), {1, 1});
    all.displacements.insert(all.displacements.end(), {recipe.lb, recipe.lb + recipe.extent});
    all.types.insert(all.types.end(), {old_lb_marker(), old_ub_marker()});
  }
  return all;
}

inline int construct_small(const TypeRecipe& r, std::span<const MPI_Datatype> children,
                           MPI_Datatype* made) {
  using Kind = TypeRecipe::Kind;
  const MPI_Datatype child = children[0];
  const auto lengths = as<int>(r.lengths);
  const auto places = as<int>(r.displacements);
  const auto addresses = as<MPI_Aint>(r.displacements);
  const int dims = small(static_cast<std::int64_t>(r.dims.size()));
  const auto full = column<int>(r.dims, &RecipeDim::full);
  switch (r.kind) {
    case Kind::duplicate:
      return MPI_Type_dup(child, made);
    case Kind::contiguous:
      return MPI_Type_contiguous(small(r.count), child, made);
    case Kind::vector:
      return MPI_Type_vector(small(r.count), small(r.length), small(r.stride), child, made);
    case Kind::hvector:
      return MPI_Type_create_hvector(small(r.count), small(r.length), r.stride, child, made);
    case Kind::indexed:
      return MPI_Type_indexed(small(lengths.size()), lengths.data(), places.data(), child, made);
    case Kind::hindexed:
      return MPI_Type_create_hindexed(small(lengths.size()), lengths.data(), addresses.data(),
                                      child, made);
    case Kind::indexed_block:
      return MPI_Type_create_indexed_block(small(places.size()), small(r.length), places.data(),
                                           child, made);
    case Kind::hindexed_block:
      return MPI_Type_create_hindexed_block(small(places.size()), small(r.length), addresses.data(),
                                            child, made);
    case Kind::structure: {
      const StructArguments all = struct_arguments(r, children);
      return MPI_Type_create_struct(small(all.lengths.size()), as<int>(all.lengths).data(),
                                    as<MPI_Aint>(all.displacements).data(), all.types.data(), made);
    }
    case Kind::subarray:
      return MPI_Type_create_subarray(
          dims, full.data(), column<int>(r.dims, &RecipeDim::part).data(),
          column<int>(r.dims, &RecipeDim::start).data(), r.order, child, made);
    case Kind::darray:
      return MPI_Type_create_darray(grid_size(r.dims), r.rank, dims, full.data(),
                                    column<int>(r.dims, &RecipeDim::distribution).data(),
                                    column<int>(r.dims, &RecipeDim::argument).data(),
                                    column<int>(r.dims, &RecipeDim::processes).data(), r.order,
                                    child, made);
    case Kind::resized:
      return MPI_Type_create_resized(child, r.lb, r.extent, made);
  }
  return MPI_ERR_INTERN;
}

#if defined(TUTTI_HOST_MPICH)
inline int construct_large(const TypeRecipe& r, std::span<const MPI_Datatype> children,
                           MPI_Datatype* made) {
  using Kind = TypeRecipe::Kind;
  const MPI_Datatype child = children[0];
  const auto lengths = as<MPI_Count>(r.lengths);
  const auto places = as<MPI_Count>(r.displacements);
  const auto count = static_cast<MPI_Count>(places.size());
  const int dims = small(static_cast<std::int64_t>(r.dims.size()));
  const auto full = column<MPI_Count>(r.dims, &RecipeDim::full);
  switch (r.kind) {
    case Kind::duplicate:
      return MPI_Type_dup(child, made);
    case Kind::contiguous:
      return MPI_Type_contiguous_c(r.count, child, made);
    case Kind::vector:
      return MPI_Type_vector_c(r.count, r.length, r.stride, child, made);
    case Kind::hvector:
      return MPI_Type_create_hvector_c(r.count, r.length, r.stride, child, made);
    case Kind::indexed:
      return MPI_Type_indexed_c(count, lengths.data(), places.data(), child, made);
    case Kind::hindexed:
      return MPI_Type_create_hindexed_c(count, lengths.data(), places.data(), child, made);
    case Kind::indexed_block:
      return MPI_Type_create_indexed_block_c(count, r.length, places.data(), child, made);
    case Kind::hindexed_block:
      return MPI_Type_create_hindexed_block_c(count, r.length, places.data(), child, made);
    case Kind::structure: {
      const StructArguments all = struct_arguments(r, children);
      return MPI_Type_create_struct_c(
          static_cast<MPI_Count>(all.lengths.size()), as<MPI_Count>(all.lengths).data(),
          as<MPI_Count>(all.displacements).data(), all.types.data(), made);
    }
    case Kind::subarray:
      return MPI_Type_create_subarray_c(
          dims, full.data(), column<MPI_Count>(r.dims, &RecipeDim::part).data(),
          column<MPI_Count>(r.dims, &RecipeDim::start).data(), r.order, child, made);
    case Kind::darray:
      return MPI_Type_create_darray_c(grid_size(r.dims), r.rank, dims, full.data(),
                                      column<int>(r.dims, &RecipeDim::distribution).data(),
                                      column<int>(r.dims, &RecipeDim::argument).data(),
                                      column<int>(r.dims, &RecipeDim::processes).data(), r.order,
                                      child, made);
    case Kind::resized:
      return MPI_Type_create_resized_c(child, r.lb, r.extent, made);
  }
  return MPI_ERR_INTERN;
}
#endif

}  // namespace recipe_detail

// Not committed; empty if the host refuses the arguments, as Open MPI refuses arrays of empty
// types.
inline OwnedType construct(const TypeRecipe& recipe, std::span<const MPI_Datatype> children) {
  const recipe_detail::ErrorsReturned guard;
  OwnedType made;
#if defined(TUTTI_HOST_MPICH)
  const int code = recipe.large ? recipe_detail::construct_large(recipe, children, made.fill())
                                : recipe_detail::construct_small(recipe, children, made.fill());
#else
  const int code = recipe_detail::construct_small(recipe, children, made.fill());
#endif
  if (code != MPI_SUCCESS) made.release();
  return made;
}

}  // namespace tutti::test
