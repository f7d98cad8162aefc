// What a program asks for in a call that moves data, and one rank's part of it once it is checked.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "api/file.hpp"
#include "api/pointer_claim.hpp"
#include "base/result.hpp"
#include "exec/converted.hpp"
#include "request/access.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

struct DataCall {
  const char* name;
  Direction direction;
  bool collective;
  const char* end_name = nullptr;  // of a split collective's first half
};

// In place of an explicit offset: the individual pointer, the shared pointer. A collective call by
// the shared pointer is an ordered one.
inline constexpr MPI_Offset kIndividual = -0x7fff'ffff'ffff'ffff;
inline constexpr MPI_Offset kShared = -0x7fff'ffff'ffff'fffe;

struct DataArguments {
  MPI_Offset offset;  // in etypes, or kIndividual, or kShared
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
};

// One rank's checked arguments.
struct DataRequest {
  std::shared_ptr<const TypePattern> type;
  std::byte* buffer = nullptr;
  std::int64_t count = 0;
  std::int64_t first = 0;                      // stream byte
  std::int64_t bytes = 0;                      // of the file
  std::shared_ptr<ConvertedMemory> converted;  // in views that convert
};

// Checks the arguments and finds their place in the stream; a pointer that stands there has moved
// on, the individual one by `claim`, which the caller settles. Collective where the call is one in
// order, also with wrong arguments.
Result<DataRequest> placed_request(File& file, const DataCall& call, const DataArguments& given,
                                   std::optional<PointerClaim>& claim);

// Local. The same bytes as the layers below want them. REQUIRES: nothing is converted.
Result<Access> access_of(const File& file, Direction direction, const DataRequest& request);

// Local. REQUIRES: a view that converts; `request` outlives the access.
ConvertedAccess converted_access(const File& file, Direction direction, const DataRequest& request);

// Local. Fails with io while a split collective is active.
Status no_split_active(const File& file);

}  // namespace tutti
