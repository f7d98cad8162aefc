// Files of a Ceph file system, reached without a mount: "ceph:/path". The device itself is in
// libtutti_ceph.so, which is loaded at the first such name, so that nothing else needs libcephfs.
#pragma once

#include <string>

#include "device/registry.hpp"

namespace tutti {

// Fail with unsupported_operation, naming what is missing, where the library or libcephfs cannot be
// loaded.
Result<Device> open_ceph(const std::string& path, const OpenOptions& options);
Status remove_ceph(const std::string& path);

}  // namespace tutti
