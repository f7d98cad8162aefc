// A range of a local file in memory: what is stored there reaches the file byte by byte, so many
// small pieces are written without a system call each and without touching the bytes between them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/extent.hpp"
#include "base/result.hpp"
#include "device/posix_file.hpp"

namespace tutti {

// Whether stores through a mapping are as exact as writes: a regular file, open for both
// directions, on a file system of this machine.
bool can_map(const PosixFile& file);

// The same for reading only (PageView): a regular file of this machine, open for reading.
bool can_view(const PosixFile& file);

// Local. Maps `range` for the time of `fill`, which gets the address of its first byte and stores
// what it likes inside. The range exists afterwards: the file is extended and its storage allocated
// first, so a full disk is no_space before anything is stored. Where the file is cut short
// meanwhile, `fill` is left in the middle and io is returned; it must own nothing while it runs.
// REQUIRES: can_map(file), range.bytes > 0.
Status store_mapped(const PosixFile& file, Extent range,
                    const std::function<void(std::byte*)>& fill);

}  // namespace tutti
