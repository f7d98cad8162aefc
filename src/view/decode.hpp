// From an MPI datatype to its pattern, constructor by constructor.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>

#include "base/result.hpp"
#include "view/contents.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

// Local. Decodes anew, without asking the cache for `type` itself (inner types do, which helps
// where the host hands out the types themselves and not, as Open MPI, duplicates); regular
// constructors cost the same whatever their counts, lists cost their length once. Fails like
// pattern_of, which callers outside this folder should use.
Result<TypePattern> decode(MPI_Datatype type);

// Local. The bytes that a constructor makes of `children`, given its arguments in their C order.
// REQUIRES: combiner is not named; as many children as the constructor takes.
Result<Pattern> arrange(Combiner combiner, std::span<const std::int64_t> arguments,
                        std::span<const std::shared_ptr<const TypePattern>> children);

}  // namespace tutti
