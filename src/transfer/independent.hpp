// Moves one rank's bytes between memory and a device, whatever the shape of either side.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "base/scratch.hpp"
#include "device/device.hpp"
#include "request/access.hpp"
#include "request/hints.hpp"

namespace tutti {

// The method that `automatic` stands for: from the number of pieces and their distance.
AccessMethod choose_method(const Access& access, const Hints& hints, const DeviceFacts& facts);

// Local. Returns the bytes moved: all of them, or for a read those before the first byte that lies
// beyond the end of the file (later memory is left alone).
// Reads are gathered from large reads (sieve) or listed. Writes never touch a byte outside the
// access, except by `sieve` (romio_ds_write=enable or tutti_access=sieve), which rewrites holes
// under a lock.
Result<std::int64_t> transfer_independent(Device& device, const Access& access, const Hints& hints,
                                          Scratch& scratch);

// Local. The same in MPI's atomic mode: everything from the access's first byte to its last is
// locked while it moves, so that no other access of the kind sees or leaves a part of it. Fails
// with unsupported_operation where the device has no locks.
Result<std::int64_t> transfer_atomic(Device& device, const Access& access, const Hints& hints,
                                     Scratch& scratch);

// Local. Locks `span` for an access in atomic mode.
Result<RangeLock> lock_for_atomic(Device& device, Extent span, Direction direction);

}  // namespace tutti
