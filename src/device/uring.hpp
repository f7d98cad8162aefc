// Files of the local or mounted file system, reached through io_uring: submitted batches run while
// the caller goes on, and their pieces wait for storage side by side.
#pragma once

#include <string>

#include "device/device.hpp"
#include "device/posix_file.hpp"
#include "device/registry.hpp"

namespace tutti {

// Where the kernel refuses io_uring (old, disabled, filtered, out of locked memory) the file is
// opened by the posix device; facts().asynchronous tells which one it became.
Result<Device> open_uring(const std::string& path, const OpenOptions& options);

// The same with a chosen number of transfers in the kernel at once, and chosen limits.
Result<Device> open_uring(const std::string& path, const OpenOptions& options, unsigned in_flight,
                          PosixLimits limits);

}  // namespace tutti
