// One rank's access that no other rank takes part in.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "exec/open_file.hpp"
#include "request/access.hpp"

namespace tutti {

// Local. Moves the bytes of `access`; in atomic mode under a lock on all it spans. Makes no MPI
// call and may run beside others on the same file. Returns the bytes moved.
Result<std::int64_t> transfer_alone(OpenFile& file, const Access& access, const Hints& hints,
                                    bool atomic);

}  // namespace tutti
