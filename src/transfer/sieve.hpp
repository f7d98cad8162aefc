// Data sieving: one large transfer covers many small pieces and the holes between them.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "base/scratch.hpp"
#include "device/device.hpp"
#include "request/access.hpp"

namespace tutti {

struct SieveLimits {
  std::int64_t buffer_bytes = 4 << 20;  // a larger range is sieved in parts
};

// Local. Both move all bytes of `range` from or to `packed` and return how many they moved; a read
// stops at the end of the file. REQUIRES: range.stream is monotone.
Result<std::int64_t> sieve_read(Device& device, const FileRange& range, std::byte* packed,
                                const SieveLimits& limits, Scratch& scratch);

// Read-modify-write, each part under an exclusive lock on the range it covers (where the device has
// locks). A part without holes is written without being read.
Result<std::int64_t> sieve_write(Device& device, const FileRange& range, const std::byte* packed,
                                 const SieveLimits& limits, Scratch& scratch);

// Copies the pieces straight out of the page cache, part by part; stops at the end of the file.
// REQUIRES: a monotone stream, device->facts().maps_reads.
Result<std::int64_t> mapped_read(Device& device, const FileRange& range, std::byte* packed);

// Stores the pieces through a mapping, part by part: no byte between them is touched.
// REQUIRES: a monotone stream, device->facts().maps.
Result<std::int64_t> mapped_write(Device& device, const FileRange& range, const std::byte* packed);

}  // namespace tutti
