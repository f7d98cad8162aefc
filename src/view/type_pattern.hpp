// What an MPI datatype means to Tutti: which bytes, in which order, and how copies of it are
// placed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "base/result.hpp"
#include "pattern/pattern.hpp"

namespace tutti {

struct TypePattern {
  Pattern pattern;          // the typemap's bytes in typemap order, relative to the type's origin
  std::int64_t lb = 0;      // lower bound and extent are the host MPI's: they depend on its
  std::int64_t extent = 0;  // alignment rules, and its other calls place copies by them
  std::int64_t size = 0;    // pattern.size()

  friend bool operator==(const TypePattern&, const TypePattern&) = default;
};

// Local. Decoded once per datatype and kept on it as an attribute, which duplicates share and
// MPI_Type_free drops; a few nanoseconds for predefined types. Safe to call from several threads.
// Fails with invalid_type: MPI_DATATYPE_NULL, or a type whose bytes spread over 2^61 or more.
Result<std::shared_ptr<const TypePattern>> pattern_of(MPI_Datatype type);

// Local. `count` copies, as a buffer of `count` elements lays them out.
// Fails with invalid_count: negative, or too many for 2^61 bytes.
Result<Pattern> elements_of(const TypePattern& type, std::int64_t count);

}  // namespace tutti
