#include "device/posix.hpp"

#include <memory>
#include <utility>

namespace tutti {

DeviceFacts PosixBackend::facts() const {
  return {.has_locks = true,
          .maps = maps_,
          .maps_reads = maps_reads_,
          .best_bytes = file_.best_bytes()};
}

Result<std::uint64_t> PosixBackend::submit(std::span<Transfer> batch) {
  if (Status moved = file_.transfer(batch); !moved) return tl::make_unexpected(moved.error());
  return 0;
}

Status PosixBackend::wait(std::uint64_t) { return {}; }

Result<Device> open_posix(const std::string& path, const OpenOptions& options) {
  Result<PosixFile> file = PosixFile::open(path, options);
  if (!file) return tl::make_unexpected(file.error());
  return Device(std::make_unique<PosixBackend>(std::move(*file)));
}

Status remove_posix(const std::string& path) { return PosixFile::remove(path); }

}  // namespace tutti
