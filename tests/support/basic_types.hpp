// The predefined datatypes that random types are built from, with their layout in C.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "support/reference_type.hpp"

#if defined(TUTTI_HOST_OPENMPI) && !OMPI_ENABLE_MPI1_COMPAT
// In the library for old programs, but no longer in its header.
extern "C" {
extern struct ompi_predefined_datatype_t ompi_mpi_lb;
extern struct ompi_predefined_datatype_t ompi_mpi_ub;
}
#endif

namespace tutti::test {

#if defined(TUTTI_HOST_OPENMPI) && !OMPI_ENABLE_MPI1_COMPAT
inline MPI_Datatype old_lb_marker() { return reinterpret_cast<MPI_Datatype>(&ompi_mpi_lb); }
inline MPI_Datatype old_ub_marker() { return reinterpret_cast<MPI_Datatype>(&ompi_mpi_ub); }
#else
inline MPI_Datatype old_lb_marker() { return MPI_LB; }
inline MPI_Datatype old_ub_marker() { return MPI_UB; }
#endif

struct BasicType {
  MPI_Datatype type;
  std::string name;
  ReferenceType reference;
};

template <class T>
inline constexpr std::int64_t kParts = 1;
template <class T>
inline constexpr std::int64_t kParts<std::complex<T>> = 2;

template <class T>
BasicType basic_type(MPI_Datatype type, std::string name) {
  ReferenceType reference;
  reference.typemap = {{0, sizeof(T), alignof(T), kParts<T>, std::is_same_v<T, long double>}};
  reference.compute_bounds();
  return {type, std::move(name), reference};
}

template <class T>
BasicType pair_type(MPI_Datatype type, std::string name) {
  struct Pair {
    T value;
    int index;
  };
  ReferenceType reference;
  reference.typemap = {{0, sizeof(T), alignof(T), 1, std::is_same_v<T, long double>},
                       {offsetof(Pair, index), sizeof(int), alignof(int)}};
  reference.compute_bounds();
  return {type, std::move(name), reference};
}

// Parameterised Fortran types: predefined, never freed, and not NAMED to get_envelope.
inline std::vector<BasicType> fortran_kinds() {
  MPI_Datatype real = MPI_DATATYPE_NULL;
  MPI_Datatype wide_real = MPI_DATATYPE_NULL;
  MPI_Datatype complex = MPI_DATATYPE_NULL;
  MPI_Datatype integer = MPI_DATATYPE_NULL;
  MPI_Type_create_f90_real(6, 30, &real);
  MPI_Type_create_f90_real(15, MPI_UNDEFINED, &wide_real);
  MPI_Type_create_f90_complex(15, MPI_UNDEFINED, &complex);
  MPI_Type_create_f90_integer(9, &integer);
  return {basic_type<float>(real, "f90_real(6,30)"), basic_type<double>(wide_real, "f90_real(15)"),
          basic_type<std::complex<double>>(complex, "f90_complex(15)"),
          basic_type<int>(integer, "f90_integer(9)")};
}

inline std::vector<BasicType> basic_types() {
  std::vector<BasicType> all = {
      basic_type<char>(MPI_BYTE, "BYTE"),
      basic_type<char>(MPI_CHAR, "CHAR"),
      basic_type<short>(MPI_SHORT, "SHORT"),
      basic_type<int>(MPI_INT, "INT"),
      basic_type<long>(MPI_LONG, "LONG"),
      basic_type<float>(MPI_FLOAT, "FLOAT"),
      basic_type<double>(MPI_DOUBLE, "DOUBLE"),
      basic_type<unsigned short>(MPI_UINT16_T, "UINT16"),
      basic_type<long double>(MPI_LONG_DOUBLE, "LONG_DOUBLE"),
      basic_type<std::complex<float>>(MPI_C_FLOAT_COMPLEX, "FLOAT_COMPLEX"),
      basic_type<std::complex<double>>(MPI_C_DOUBLE_COMPLEX, "DOUBLE_COMPLEX"),
      basic_type<int>(MPI_INTEGER, "INTEGER"),
      basic_type<double>(MPI_DOUBLE_PRECISION, "DOUBLE_PRECISION"),
      pair_type<int>(MPI_2INT, "2INT"),
      pair_type<short>(MPI_SHORT_INT, "SHORT_INT"),
      pair_type<float>(MPI_FLOAT_INT, "FLOAT_INT"),
      pair_type<long>(MPI_LONG_INT, "LONG_INT"),
      pair_type<double>(MPI_DOUBLE_INT, "DOUBLE_INT"),
      pair_type<long double>(MPI_LONG_DOUBLE_INT, "LONG_DOUBLE_INT"),
  };
  for (BasicType& kind : fortran_kinds()) all.push_back(std::move(kind));
  return all;
}

}  // namespace tutti::test
