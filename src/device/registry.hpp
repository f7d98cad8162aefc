// The table of devices. A new device is one file and one line in registry.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "device/device.hpp"

namespace tutti {

struct OpenOptions {
  bool read = true;
  bool write = false;
  bool create = false;
  bool exclusive = false;
  int permissions = 0666;
  int processes = 1;  // that open the file together
  // Layout wishes at creation; zero means the device's default.
  std::int64_t striping_unit = 0;
  std::int32_t striping_factor = 0;
  std::int32_t start_iodevice = 0;
};

struct DeviceKind {
  std::string_view name;  // also the prefix in file names: "striped:/path"
  std::string_view help;
  Result<Device> (*open)(const std::string& path, const OpenOptions& options);
  Status (*remove)(const std::string& path);
};

// All devices, the default (posix) first.
std::span<const DeviceKind> device_kinds();

// Splits "name:path". ROMIO's prefixes (ufs:, nfs:, xfs:, lustre:, …) mean the default device; a
// name without a known prefix is a plain path.
struct DeviceName {
  const DeviceKind* kind = nullptr;
  std::string path;
};
DeviceName parse_device_name(std::string_view name);

// Local. Errors name the file.
Result<Device> open_device(std::string_view name, const OpenOptions& options);
Status remove_file(std::string_view name);

}  // namespace tutti
