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

StripeLayout PosixBackend::layout_for(Extent range) const {
  // Lustre gives later parts of a file their objects when they are first written.
  if (layout_.found.layout.complete() || layout_.found.layout.covers(range) || !file_.is_open())
    return layout_.found.layout;
  ProbedLayout now = probe_layout(file_.descriptor(), system_);
  const std::lock_guard guard(asking_);
  later_problem_ = std::move(now.problem);
  return std::move(now.found.layout);
}

LayoutReport PosixBackend::layout_report() const {
  const std::lock_guard guard(asking_);
  return {layout_.found.striping, layout_.problem.empty() ? later_problem_ : layout_.problem};
}

Result<PosixFile> open_with_striping(const std::string& path, const OpenOptions& options,
                                     PosixLimits limits) {
  const Striping wish{options.striping_unit, options.striping_factor, options.start_iodevice};
  OpenOptions rest = options;
  // A file made here need not be, and must not be required to be, new any more.
  if (options.create && create_striped_as(path, options.permissions, wish)) rest.exclusive = false;
  return PosixFile::open(path, rest, limits);
}

Result<Device> open_posix(const std::string& path, const OpenOptions& options) {
  Result<PosixFile> file = open_with_striping(path, options);
  if (!file) return tl::make_unexpected(file.error());
  return Device(std::make_unique<PosixBackend>(std::move(*file)));
}

Status remove_posix(const std::string& path) { return PosixFile::remove(path); }

}  // namespace tutti
