#include "device/registry.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "device/ceph.hpp"
#include "device/faulty.hpp"
#include "device/memory.hpp"
#include "device/posix.hpp"
#include "device/striped.hpp"
#include "device/uring.hpp"

namespace tutti {

namespace {

constexpr std::array kDevices = {
    DeviceKind{"posix", "files of the mounted file systems, plain system calls", open_posix,
               remove_posix},
    DeviceKind{"uring", "the same files through io_uring, asynchronous", open_uring, remove_posix},
    DeviceKind{"memory", "files in the memory of this process, for tests", open_memory,
               remove_memory},
    DeviceKind{"striped", "one file spread over directories that stand for I/O nodes", open_striped,
               remove_striped},
    DeviceKind{"ceph", "files of a Ceph cluster, without a mount", open_ceph, remove_ceph},
    DeviceKind{"faulty", "wraps another device and fails on purpose, for tests", open_faulty,
               remove_faulty},
};

struct Alias {
  std::string_view prefix;
  std::string_view device;
};
constexpr std::array kAliases = {Alias{"mem", "memory"}};

// What ROMIO accepts before the colon, in either case of letters.
constexpr std::array<std::string_view, 21> kRomioPrefixes = {
    "ufs",   "nfs",    "xfs",  "lustre",     "gpfs", "panfs",  "pvfs",
    "pvfs2", "testfs", "daos", "quobyte",    "ime",  "zoidfs", "piofs",
    "pfs",   "hfs",    "sfs",  "bglockless", "bg",   "ntfs",   "gridftp"};

const DeviceKind* find_device(std::string_view name) {
  for (const DeviceKind& kind : kDevices) {
    if (kind.name == name) return &kind;
  }
  for (const Alias& alias : kAliases) {
    if (alias.prefix == name) return find_device(alias.device);
  }
  return nullptr;
}

bool is_romio_prefix(std::string_view prefix) {
  const auto same_letter = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == b;
  };
  return std::any_of(kRomioPrefixes.begin(), kRomioPrefixes.end(), [&](std::string_view known) {
    return std::equal(prefix.begin(), prefix.end(), known.begin(), known.end(), same_letter);
  });
}

}  // namespace

std::span<const DeviceKind> device_kinds() { return kDevices; }

DeviceName parse_device_name(std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view prefix = name.substr(0, colon);
    const std::string path(name.substr(colon + 1));
    if (const DeviceKind* kind = find_device(prefix)) return {kind, path};
    if (is_romio_prefix(prefix)) return {&kDevices.front(), path};
  }
  return {&kDevices.front(), std::string(name)};
}

Result<Device> open_device(std::string_view name, const OpenOptions& options) {
  const DeviceName parsed = parse_device_name(name);
  if (parsed.path.empty()) {
    return fail(ErrorKind::bad_file_name, "'" + std::string(name) + "': the file name is empty");
  }
  if (!options.read && !options.write) {
    return fail(ErrorKind::invalid_amode,
                std::string(name) + ": opened neither for reading nor for writing");
  }
  return parsed.kind->open(parsed.path, options);
}

Status remove_file(std::string_view name) {
  const DeviceName parsed = parse_device_name(name);
  if (parsed.path.empty()) {
    return fail(ErrorKind::bad_file_name, "'" + std::string(name) + "': the file name is empty");
  }
  return parsed.kind->remove(parsed.path);
}

}  // namespace tutti
