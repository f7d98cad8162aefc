// The external32 representation of the MPI standard: big-endian, IEEE, sizes fixed for every type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/result.hpp"
#include "convert/element_map.hpp"

namespace tutti {

// What a predefined type means, whatever the width it has on this machine.
enum class Meaning : std::uint8_t { bytes, integer, ieee, long_double, wide_character };

// The kind of a value of `memory_bytes` bytes in external32.
// Fails with invalid_type for widths that no machine of ours has.
Result<ElementKind> external32_kind(Meaning meaning, std::int64_t memory_bytes);

// Local. `count` elements from packed memory to packed file bytes. Fails with conversion where a
// value has no form in the file (a character beyond UTF-16's single units).
// REQUIRES: the kind came from external32_kind.
Status to_external32(ElementKind kind, std::int64_t count, const std::byte* memory,
                     std::byte* file);

// Local. The reverse. Long doubles are rounded to nearest.
void from_external32(ElementKind kind, std::int64_t count, const std::byte* file,
                     std::byte* memory);

}  // namespace tutti
