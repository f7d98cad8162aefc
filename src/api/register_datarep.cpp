// MPI_Register_datarep.
#include <cstring>
#include <limits>
#include <string>

#include "api/datarep.hpp"
#include "api/entry.hpp"

namespace tutti {

namespace {

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

Result<std::int64_t> file_extent(const std::string& name, MPI_Datarep_extent_function* function,
                                 MPI_Datatype type, void* state) {
  MPI_Aint extent = 0;
  const int code = function(type, &extent, state);
  if (code == MPI_SUCCESS) return extent;
  return fail(ErrorKind::conversion,
              "the extent function of '" + name + "' returned " + std::to_string(code));
}

template <class Function, class Count>
Status add(const Given<Function, Count>& given) {
  if (given.name == nullptr)
    return fail(ErrorKind::invalid_argument, "the name of the data representation is null");
  const std::size_t length = strnlen(given.name, MPI_MAX_DATAREP_STRING);
  if (length == 0 || length >= MPI_MAX_DATAREP_STRING)
    return fail(ErrorKind::invalid_argument,
                "the name of the data representation is empty or longer than " +
                    std::to_string(MPI_MAX_DATAREP_STRING - 1) + " characters");
  if (given.extent == nullptr)
    return fail(ErrorKind::invalid_argument, "the extent function is null");
  const std::string name(given.name, length);
  return datareps().add({name,
                         {[name, extent = given.extent, state = given.state](MPI_Datatype type) {
                           return file_extent(name, extent, type, state);
                         }},
                         given.conversion(given.read),
                         given.conversion(given.write),
                         std::numeric_limits<Count>::max()});
}

}  // namespace

TUTTI_MPI(Register_datarep, (const char* name, MPI_Datarep_conversion_function* read,
                             MPI_Datarep_conversion_function* write,
                             MPI_Datarep_extent_function* extent, void* state)) {
  return without_file("MPI_Register_datarep", [&] {
    return add(Given<MPI_Datarep_conversion_function, int>{name, read, write, extent, state});
  });
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
