#include "device/mapped_file.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "device/bus_guard.hpp"
#include "device/errno_error.hpp"

namespace tutti {

namespace {

constexpr long kXfsMagic = 0x58465342;

bool is_local(long type) {
  constexpr std::array kLocal{long{TMPFS_MAGIC}, long{EXT4_SUPER_MAGIC}, kXfsMagic,
                              long{OVERLAYFS_SUPER_MAGIC}};
  return std::find(kLocal.begin(), kLocal.end(), type) != kLocal.end();
}

// Gives the range storage, so that storing into it cannot run out of space.
int allocate(int descriptor, Extent range) {
  int code = 0;
  do {
    code = fallocate(descriptor, 0, range.offset, range.bytes) == 0 ? 0 : errno;
  } while (code == EINTR);
  return code;
}

Status with_mapping(const PosixFile& file, Extent range,
                    const std::function<void(std::byte*)>& fill) {
  const std::int64_t page = sysconf(_SC_PAGESIZE);
  const std::int64_t start = range.offset / page * page;
  const auto bytes = static_cast<std::size_t>(range.end() - start);
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                      file.descriptor(), start);
  if (mapped == MAP_FAILED)
    return tl::make_unexpected(transfer_error(
        errno, file.path(), {TransferKind::write, range.offset, nullptr, range.bytes, 0}));
  auto* memory = static_cast<std::byte*>(mapped);
  const bool whole = run_guarded({memory, bytes}, [&] { fill(memory + (range.offset - start)); });
  munmap(mapped, bytes);
  if (whole) return {};
  return fail(ErrorKind::io, file.path() + ": the file was cut short while it was written");
}

}  // namespace

bool can_view(const PosixFile& file) {
  struct statfs system {};
  struct stat facts {};
  return file.rights().read && fstat(file.descriptor(), &facts) == 0 && S_ISREG(facts.st_mode) &&
         fstatfs(file.descriptor(), &system) == 0 && is_local(system.f_type);
}

bool can_map(const PosixFile& file) { return file.rights().write && can_view(file); }

Status store_mapped(const PosixFile& file, Extent range,
                    const std::function<void(std::byte*)>& fill) {
  if (const int code = allocate(file.descriptor(), range); code != 0)
    return tl::make_unexpected(transfer_error(
        code, file.path(), {TransferKind::write, range.offset, nullptr, range.bytes, 0}));
  return with_mapping(file, range, fill);
}

}  // namespace tutti
