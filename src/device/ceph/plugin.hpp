// What libtutti_ceph.so offers. Both sides are built from the same sources; the version says so.
#pragma once

#include <cstdint>
#include <string>

#include "device/registry.hpp"

namespace tutti {

inline constexpr const char* kCephPluginFile = "libtutti_ceph.so";
inline constexpr const char* kCephPluginEntry = "tutti_ceph_plugin";
// To be raised with every change of DeviceBackend, OpenOptions or what they are made of.
inline constexpr std::int32_t kCephPluginVersion = 3;

struct CephPlugin {
  std::int32_t version;
  Result<Device> (*open)(const std::string& path, const OpenOptions& options);
  Status (*remove)(const std::string& path);
};

}  // namespace tutti
