// The hints of a file that the C++ interface opens.
#pragma once

#include <span>

#include "base/result.hpp"
#include "request/hints.hpp"
#include "tutti/file.hpp"

namespace tutti::io {

// Local. The hints every file starts with, changed by `given`. Fails with invalid_info at an
// unknown key or a bad value.
Result<Hints> hints_from(std::span<const Hint> given, bool first_rank);

}  // namespace tutti::io
