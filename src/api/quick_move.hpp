// The shortest way of an independent blocking access: libraries that keep metadata in their files
// make thousands of them, each a few hundred bytes.
#pragma once

#include <cstdint>

#include "api/data_request.hpp"
#include "api/file.hpp"
#include "base/result.hpp"
#include "request/access.hpp"

namespace tutti {

// Local. Elements of a usual predefined type, a view without holes, nothing to lock or convert: one
// transfer of the device, without lock, allocation or message. Returns false, with nothing done,
// where the call is of another kind or wrong.
bool quick_move(File& file, Direction direction, const DataArguments& given,
                Result<std::int64_t>& moved);

}  // namespace tutti
