// Files in the memory of this process, for tests. Opens of the same name share the bytes; a removed
// file lives on for those who have it open.
#pragma once

#include <string>

#include "device/device.hpp"
#include "device/registry.hpp"

namespace tutti {

// Fails with unsupported_operation where several processes open the file together.
Result<Device> open_memory(const std::string& name, const OpenOptions& options);
Status remove_memory(const std::string& name);

}  // namespace tutti
