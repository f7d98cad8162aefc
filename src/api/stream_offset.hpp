// Between offsets in etypes, as MPI's arguments have them, and bytes of a view's stream.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "request/file_view.hpp"

namespace tutti {

// Local. The stream byte where etype number `etypes` begins. Fails with invalid_argument where it
// is negative or beyond the largest offset a file can have. A view without bytes has no last etype.
Result<std::int64_t> stream_byte(const FileView& view, std::int64_t etypes);

// Local. Etypes of the view that begin before file offset `bytes`, counting up to the last such
// one: where the end of a file of that size lies in the view.
std::int64_t etypes_before(const FileView& view, std::int64_t bytes);

}  // namespace tutti
