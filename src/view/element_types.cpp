#include "view/element_types.hpp"

#include <string>

#include "mpi/call.hpp"

namespace tutti {

namespace {

struct PlainType {
  MPI_Datatype type;
  Meaning meaning;
  std::int64_t parts;
};

struct PairType {
  MPI_Datatype type;
  MPI_Datatype first;
  MPI_Datatype second;
};

// Types that a host lacks are not declared, or MPI_DATATYPE_NULL here and match nothing.
const std::vector<PlainType>& plain_types() {
  static const std::vector<PlainType>& table = *new std::vector<PlainType> {
    {MPI_BYTE, Meaning::bytes, 1}, {MPI_PACKED, Meaning::bytes, 1}, {MPI_CHAR, Meaning::bytes, 1},
        {MPI_SIGNED_CHAR, Meaning::bytes, 1}, {MPI_UNSIGNED_CHAR, Meaning::bytes, 1},
        {MPI_CHARACTER, Meaning::bytes, 1}, {MPI_WCHAR, Meaning::wide_character, 1},
        {MPI_SHORT, Meaning::integer, 1}, {MPI_UNSIGNED_SHORT, Meaning::integer, 1},
        {MPI_INT, Meaning::integer, 1}, {MPI_UNSIGNED, Meaning::integer, 1},
        {MPI_LONG, Meaning::integer, 1}, {MPI_UNSIGNED_LONG, Meaning::integer, 1},
        {MPI_LONG_LONG, Meaning::integer, 1}, {MPI_UNSIGNED_LONG_LONG, Meaning::integer, 1},
        {MPI_INT8_T, Meaning::integer, 1}, {MPI_INT16_T, Meaning::integer, 1},
        {MPI_INT32_T, Meaning::integer, 1}, {MPI_INT64_T, Meaning::integer, 1},
        {MPI_UINT8_T, Meaning::integer, 1}, {MPI_UINT16_T, Meaning::integer, 1},
        {MPI_UINT32_T, Meaning::integer, 1}, {MPI_UINT64_T, Meaning::integer, 1},
        {MPI_AINT, Meaning::integer, 1}, {MPI_OFFSET, Meaning::integer, 1},
        {MPI_COUNT, Meaning::integer, 1}, {MPI_C_BOOL, Meaning::integer, 1},
        {MPI_CXX_BOOL, Meaning::integer, 1}, {MPI_LOGICAL, Meaning::integer, 1},
        {MPI_INTEGER, Meaning::integer, 1}, {MPI_INTEGER1, Meaning::integer, 1},
        {MPI_INTEGER2, Meaning::integer, 1}, {MPI_INTEGER4, Meaning::integer, 1},
        {MPI_INTEGER8, Meaning::integer, 1}, {MPI_FLOAT, Meaning::ieee, 1},
        {MPI_DOUBLE, Meaning::ieee, 1}, {MPI_REAL, Meaning::ieee, 1},
        {MPI_DOUBLE_PRECISION, Meaning::ieee, 1}, {MPI_REAL4, Meaning::ieee, 1},
        {MPI_REAL8, Meaning::ieee, 1}, {MPI_LONG_DOUBLE, Meaning::long_double, 1},
        {MPI_C_COMPLEX, Meaning::ieee, 2}, {MPI_C_FLOAT_COMPLEX, Meaning::ieee, 2},
        {MPI_C_DOUBLE_COMPLEX, Meaning::ieee, 2},
        {MPI_C_LONG_DOUBLE_COMPLEX, Meaning::long_double, 2},
        {MPI_CXX_FLOAT_COMPLEX, Meaning::ieee, 2}, {MPI_CXX_DOUBLE_COMPLEX, Meaning::ieee, 2},
        {MPI_CXX_LONG_DOUBLE_COMPLEX, Meaning::long_double, 2}, {MPI_COMPLEX, Meaning::ieee, 2},
        {MPI_DOUBLE_COMPLEX, Meaning::ieee, 2}, {MPI_COMPLEX8, Meaning::ieee, 2},
        {MPI_COMPLEX16, Meaning::ieee, 2},
#if defined(MPI_LOGICAL1)
        {MPI_LOGICAL1, Meaning::integer, 1},
#endif
#if defined(MPI_LOGICAL2)
        {MPI_LOGICAL2, Meaning::integer, 1},
#endif
#if defined(MPI_LOGICAL4)
        {MPI_LOGICAL4, Meaning::integer, 1},
#endif
#if defined(MPI_LOGICAL8)
        {MPI_LOGICAL8, Meaning::integer, 1},
#endif
#if defined(MPI_REAL2)
        {MPI_REAL2, Meaning::ieee, 1},
#endif
#if defined(MPI_INTEGER16)
        {MPI_INTEGER16, Meaning::integer, 1},
#endif
#if defined(MPI_REAL16)
        {MPI_REAL16, Meaning::ieee, 1},
#endif
#if defined(MPI_COMPLEX32)
        {MPI_COMPLEX32, Meaning::ieee, 2},
#endif
  };
  return table;
}

const std::vector<PairType>& pair_types() {
  static const std::vector<PairType>& table = *new std::vector<PairType>{
      {MPI_FLOAT_INT, MPI_FLOAT, MPI_INT},
      {MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT},
      {MPI_LONG_INT, MPI_LONG, MPI_INT},
      {MPI_SHORT_INT, MPI_SHORT, MPI_INT},
      {MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT},
      {MPI_2INT, MPI_INT, MPI_INT},
      {MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER},
      {MPI_2REAL, MPI_REAL, MPI_REAL},
      {MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION},
  };
  return table;
}

std::int64_t size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  PMPI_Type_size_x(type, &size);
  return size;
}

TypeMember member_of(const PlainType& plain) {
  return {plain.type, plain.meaning, plain.parts, size_of(plain.type) / plain.parts};
}

// Types of MPI_Type_create_f90_real and its kin: decimal digits say which format it is.
Result<TypeMember> parameterised_member(MPI_Datatype type) {
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = MPI_COMBINER_NAMED;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  const std::int64_t size = size_of(type);
  if (combiner == MPI_COMBINER_F90_INTEGER) return TypeMember{type, Meaning::integer, 1, size};
  if (combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_COMPLEX)
    return fail(ErrorKind::invalid_type, "a predefined datatype of " + std::to_string(size) +
                                             " bytes has no known form in the file");
  std::vector<int> parameters(static_cast<std::size_t>(integers));
  if (auto read = mpi_status(
          PMPI_Type_get_contents(type, integers, 0, 0, parameters.data(), nullptr, nullptr),
          "MPI_Type_get_contents");
      !read)
    return tl::make_unexpected(read.error());
  constexpr int kLongDoubleDigits = 18;
  const std::int64_t parts = combiner == MPI_COMBINER_F90_COMPLEX ? 2 : 1;
  const bool extended = size / parts == sizeof(long double) && !parameters.empty() &&
                        parameters[0] <= kLongDoubleDigits;
  return TypeMember{type, extended ? Meaning::long_double : Meaning::ieee, parts, size / parts};
}

}  // namespace

Result<std::vector<TypeMember>> members_of(MPI_Datatype type) {
  for (const PlainType& plain : plain_types())
    if (plain.type == type) return std::vector<TypeMember>{member_of(plain)};
  for (const PairType& pair : pair_types()) {
    if (pair.type != type) continue;
    auto members = members_of(pair.first);
    const auto second = members_of(pair.second);
    if (!members || !second) return members;
    members->push_back(second->front());
    return members;
  }
  if (size_of(type) == 0) return std::vector<TypeMember>();
  auto member = parameterised_member(type);
  if (!member) return tl::make_unexpected(member.error());
  return std::vector<TypeMember>{*member};
}

}  // namespace tutti
