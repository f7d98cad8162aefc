// Lustre's striping, as the extended attribute lustre.lov has it: lov_user_md of version 1 and 3,
// and composite layouts (progressive, mirrored, with data on the metadata server).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "layout/found_layout.hpp"

namespace tutti {

inline constexpr const char* kLustreAttribute = "lustre.lov";

// An I/O node is one OST, numbered in the order in which the file names them. Parts of a composite
// layout that have no objects yet are not covered. Fails with invalid_argument for bytes that are
// no layout, with unsupported_operation for layouts whose bytes lie nowhere in particular (released
// to an archive, compressed, foreign).
Result<FoundLayout> decode_lustre(std::span<const std::byte> attribute);

// The attribute's value that asks for a striping when set on a file without objects.
std::vector<std::byte> encode_lustre(const Striping& wish);

}  // namespace tutti
