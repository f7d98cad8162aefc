#include "view/named_types.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace tutti {

namespace {

TypePattern contiguous(std::int64_t bytes) { return {Pattern::run(bytes), 0, bytes, bytes}; }

// { T value; int index; } as C lays it out.
template <class T>
TypePattern pair_with_int() {
  struct Pair {
    T value;
    int index;
  };
  const std::array<Extent, 2> members = {{{0, sizeof(T)}, {offsetof(Pair, index), sizeof(int)}}};
  return {Pattern::tuples(members), 0, sizeof(Pair), sizeof(T) + sizeof(int)};
}

struct CommonType {
  MPI_Datatype type;
  const TypePattern* pattern;
};

struct NamedTypes {
  TypePattern empty;  // MPI_LB and MPI_UB
  std::array<TypePattern, 6> runs = {contiguous(1), contiguous(2),  contiguous(4),
                                     contiguous(8), contiguous(16), contiguous(32)};
  std::array<TypePattern, 4> pairs = {pair_with_int<short>(), pair_with_int<long>(),
                                      pair_with_int<double>(), pair_with_int<long double>()};
  // Most frequent first.
  std::array<CommonType, 14> common = {{
      {MPI_BYTE, &runs[0]},
      {MPI_DOUBLE, &runs[3]},
      {MPI_INT, &runs[2]},
      {MPI_FLOAT, &runs[2]},
      {MPI_CHAR, &runs[0]},
      {MPI_LONG, &runs[3]},
      {MPI_UNSIGNED_CHAR, &runs[0]},
      {MPI_LONG_LONG, &runs[3]},
      {MPI_UNSIGNED, &runs[2]},
      {MPI_UNSIGNED_LONG, &runs[3]},
      {MPI_SHORT, &runs[1]},
      {MPI_INT64_T, &runs[3]},
      {MPI_INT32_T, &runs[2]},
      {MPI_PACKED, &runs[0]},
  }};

  const TypePattern* find(std::int64_t size, std::int64_t extent) const {
    if (size == 0 && extent == 0) return &empty;
    for (const TypePattern& run : runs)
      if (run.size == size && run.extent == extent) return &run;
    for (const TypePattern& pair : pairs)
      if (pair.size == size && pair.extent == extent) return &pair;
    return nullptr;
  }
};

// Never destroyed: datatypes may be used until the last exit handler.
const NamedTypes& named_types() {
  static const NamedTypes& table = *new NamedTypes;
  return table;
}

}  // namespace

const TypePattern* find_common_type(MPI_Datatype type) {
  for (const CommonType& entry : named_types().common)
    if (entry.type == type) return entry.pattern;
  return nullptr;
}

Result<const TypePattern*> named_pattern(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Count lb = 0;
  MPI_Count extent = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent_x(type, &lb, &extent);
  if (const TypePattern* found = named_types().find(size, extent)) return found;
  return fail(ErrorKind::invalid_type, "predefined datatype of " + std::to_string(size) +
                                           " bytes with extent " + std::to_string(extent) +
                                           ": its layout is not known");
}

}  // namespace tutti
