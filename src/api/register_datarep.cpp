// MPI_Register_datarep.
#include <dlfcn.h>

#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "api/datarep.hpp"
#include "api/entry.hpp"

namespace tutti {

namespace {

// The functions of a Fortran program: MPICH's bindings pass them on as if they were functions of C.
// Open MPI's bring functions of C that call them.
#if defined(TUTTI_HOST_MPICH)
using FortranConversion = void(void* buffer, MPI_Fint* type, MPI_Fint* count, void* file,
                               MPI_Offset* position, MPI_Aint* state, MPI_Fint* code);
using FortranExtent = void(MPI_Fint* type, MPI_Aint* extent, MPI_Aint* state, MPI_Fint* code);

// Local. Whether this code belongs to the host's Fortran bindings.
bool is_fortran_binding(const void* code) {
  Dl_info where{};
  return dladdr(code, &where) != 0 && where.dli_fname != nullptr &&
         std::string_view(where.dli_fname).find("libmpichfort") != std::string_view::npos;
}

ConversionFunction fortran_conversion(MPI_Datarep_conversion_function* given, MPI_Aint state) {
  auto* const function = reinterpret_cast<FortranConversion*>(reinterpret_cast<void (*)()>(given));
  const void* const none = dlsym(RTLD_DEFAULT, "mpi_conversion_fn_null_");
  if (function == nullptr || reinterpret_cast<const void*>(function) == none) return {};
  return [function, state](void* buffer, MPI_Datatype type, std::int64_t count, void* file,
                           std::int64_t position) {
    MPI_Fint named_type = PMPI_Type_c2f(type);
    MPI_Fint elements = static_cast<MPI_Fint>(count);
    MPI_Offset first = position;
    MPI_Aint value = state;
    MPI_Fint code = MPI_SUCCESS;
    function(buffer, &named_type, &elements, file, &first, &value, &code);
    return static_cast<int>(code);
  };
}
#endif

template <class Function, class Count>
struct Given {
  const char* name;
  Function* read;
  Function* write;
  MPI_Datarep_extent_function* extent;
  void* state;

  ConversionFunction conversion(Function* function) const {
    if (function == nullptr) return {};  // MPI_CONVERSION_FN_NULL
    return [function, state_ = state](void* buffer, MPI_Datatype type, std::int64_t count,
                                      void* file, std::int64_t position) {
      return function(buffer, type, static_cast<Count>(count), file, position, state_);
    };
  }
};

Result<std::int64_t> checked_extent(const std::string& name, int code, MPI_Aint extent) {
  if (code == MPI_SUCCESS) return extent;
  return fail(ErrorKind::conversion,
              "the extent function of '" + name + "' returned " + std::to_string(code));
}

Result<std::string> checked_name(const char* name) {
  if (name == nullptr)
    return fail(ErrorKind::invalid_argument, "the name of the data representation is null");
  const std::size_t length = strnlen(name, MPI_MAX_DATAREP_STRING);
  if (length == 0 || length >= MPI_MAX_DATAREP_STRING)
    return fail(ErrorKind::invalid_argument,
                "the name of the data representation is empty or longer than " +
                    std::to_string(MPI_MAX_DATAREP_STRING - 1) + " characters");
  return std::string(name, length);
}

template <class Function, class Count>
Status add(const Given<Function, Count>& given) {
  const auto name = checked_name(given.name);
  if (!name) return tl::make_unexpected(name.error());
  if (given.extent == nullptr)
    return fail(ErrorKind::invalid_argument, "the extent function is null");
  return datareps().add(
      {*name,
       {[name = *name, function = given.extent, state = given.state](MPI_Datatype type) {
         MPI_Aint extent = 0;
         const int code = function(type, &extent, state);
         return checked_extent(name, code, extent);
       }},
       given.conversion(given.read),
       given.conversion(given.write),
       std::numeric_limits<Count>::max()});
}

#if defined(TUTTI_HOST_MPICH)
Status add_fortran(const Given<MPI_Datarep_conversion_function, int>& given) {
  const auto name = checked_name(given.name);
  if (!name) return tl::make_unexpected(name.error());
  auto* const function =
      reinterpret_cast<FortranExtent*>(reinterpret_cast<void (*)()>(given.extent));
  const MPI_Aint state = given.state == nullptr ? 0 : *static_cast<const MPI_Aint*>(given.state);
  return datareps().add({*name,
                         {[name = *name, function, state](MPI_Datatype type) {
                           MPI_Fint named_type = PMPI_Type_c2f(type);
                           MPI_Aint extent = 0;
                           MPI_Aint value = state;
                           MPI_Fint code = MPI_SUCCESS;
                           function(&named_type, &extent, &value, &code);
                           return checked_extent(name, code, extent);
                         }},
                         fortran_conversion(given.read, state),
                         fortran_conversion(given.write, state),
                         std::numeric_limits<MPI_Fint>::max()});
}
#endif

}  // namespace

TUTTI_MPI(Register_datarep, (const char* name, MPI_Datarep_conversion_function* read,
                             MPI_Datarep_conversion_function* write,
                             MPI_Datarep_extent_function* extent, void* state)) {
  const Given<MPI_Datarep_conversion_function, int> given{name, read, write, extent, state};
#if defined(TUTTI_HOST_MPICH)
  if (is_fortran_binding(__builtin_return_address(0)))
    return without_file("MPI_Register_datarep", [&] { return add_fortran(given); });
#endif
  return without_file("MPI_Register_datarep", [&] { return add(given); });
}

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_MPI(Register_datarep_c, (const char* name, MPI_Datarep_conversion_function_c* read,
                               MPI_Datarep_conversion_function_c* write,
                               MPI_Datarep_extent_function* extent, void* state)) {
  return without_file("MPI_Register_datarep_c", [&] {
    return add(
        Given<MPI_Datarep_conversion_function_c, MPI_Count>{name, read, write, extent, state});
  });
}
#endif

}  // namespace tutti
