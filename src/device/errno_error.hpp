// The one place where errno becomes an Error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/device.hpp"

namespace tutti {

ErrorKind errno_kind(int code);

// "<file>: no such file or directory (opening it for reading)". `doing` may be empty.
Error errno_error(int code, std::string_view file, std::string_view doing);

// "writing 4096 bytes at offset 0", for messages.
std::string transfer_text(const Transfer& what);

// errno_error for a transfer: "<file>: no space left on device (writing 4096 bytes at offset 0)".
Error transfer_error(int code, std::string_view file, const Transfer& what);

// "ENOSPC" or "28" -> 28; nothing for anything else.
std::optional<int> errno_from_name(std::string_view name);

// What using a file after close() fails with.
Error closed_error(std::string_view file);

}  // namespace tutti
