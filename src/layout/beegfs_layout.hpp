// BeeGFS's striping, as its client answers the ioctl for stripe information.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "layout/found_layout.hpp"

namespace tutti {

// The answer: pattern and chunk size of 4 bytes each, the number of targets of 2, two unused.
using BeegfsStripeInfo = std::array<std::byte, 12>;

// An I/O node is one storage target, numbered in the file's order. Fails with invalid_argument for
// an answer that is no layout, with unsupported_operation for patterns other than RAID 0 with and
// without buddy mirrors.
Result<FoundLayout> decode_beegfs(std::span<const std::byte> info);

}  // namespace tutti
