// One file spread over directories in round robin, each directory standing for an I/O node:
// "striped:/path/file". At /path/file lies a small text that says where the bytes are:
//
//   tutti-striped 1
//   unit 65536              bytes per stripe
//   factor 4                number of components
//   start 0                 component of the first stripe
//   name 3f9c0a5e77d1b204   file name of every component inside its directory
//   directory file.stripes/0    one line each, absolute or relative to /path
//   …
//
// The text never changes once it is there; it appears in one step, so that of several processes
// that create the file at once one wins and the others open what it made. Component names are drawn
// anew for every creation, so nothing of an earlier file can shine through.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "device/device.hpp"
#include "device/posix_file.hpp"
#include "device/registry.hpp"

namespace tutti {

struct StripedMetadata {
  StripeLayout layout;
  std::string name;
  std::vector<std::string> directories;

  friend bool operator==(const StripedMetadata&, const StripedMetadata&) = default;
};

inline constexpr std::int64_t kDefaultStripingUnit = 64 * 1024;
inline constexpr std::int32_t kDefaultStripingFactor = 4;
inline constexpr std::int32_t kMaxStripingFactor = 1024;

std::string format_striped_metadata(const StripedMetadata& metadata);
// Fails with bad_file_name, naming `file` and what is wrong in the text.
Result<StripedMetadata> parse_striped_metadata(std::string_view text, std::string_view file);

// Local. The metadata of an existing striped file, and the paths of its components in node order.
Result<StripedMetadata> read_striped_metadata(const std::string& path);
Result<StripedMetadata> read_striped_metadata(const PosixFile& file);
std::vector<std::string> striped_components(const std::string& path,
                                            const StripedMetadata& metadata);

// Local. Creates an empty striped file over directories of the caller's choice, which are made
// where they are missing; file_exists if something is there already. `metadata.name` is ignored.
Status create_striped(const std::string& path, StripedMetadata metadata, int permissions = 0666);

// The striping wishes of `options` where they are possible, defaults elsewhere; directories
// <path>.stripes/0 … N-1. Used where an open creates the file.
Result<Device> open_striped(const std::string& path, const OpenOptions& options);
Status remove_striped(const std::string& path);

// One request to a component. If a file <path>.stripes/log exists when a striped file is opened,
// every request of that open is appended to it, in the order of issue.
struct RequestLogEntry {
  std::int64_t process = 0;
  std::int32_t component = 0;
  TransferKind kind = TransferKind::read;
  Extent range;  // inside the component

  friend bool operator==(const RequestLogEntry&, const RequestLogEntry&) = default;
};
// Local. Makes an empty log, so that opens from now on write to it.
Status start_request_log(const std::string& path);
Result<std::vector<RequestLogEntry>> read_request_log(const std::string& path);

}  // namespace tutti
