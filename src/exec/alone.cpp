#include "exec/alone.hpp"

#include "transfer/independent.hpp"

namespace tutti {

namespace {

// Sieving, which locks by itself, is left out.
Result<std::int64_t> move_atomically(OpenFile& file, const Access& access, Hints hints) {
  const Pattern touched =
      access.file.stream.slice(access.file.first, access.file.first + access.file.bytes);
  const auto held = RangeLock::acquire(
      file.device, {touched.lower(), touched.upper() - touched.lower()},
      access.direction == Direction::read ? LockMode::shared : LockMode::exclusive);
  if (!held) return tl::make_unexpected(held.error());
  if (access.direction == Direction::write) hints.access = AccessMethod::list;
  return transfer_independent(file.device, access, hints, file.scratch);
}

}  // namespace

Result<std::int64_t> transfer_alone(OpenFile& file, const Access& access, const Hints& hints,
                                    bool atomic) {
  if (access.file.bytes == 0) return 0;
  if (atomic) return move_atomically(file, access, hints);
  return transfer_independent(file.device, access, hints, file.scratch);
}

}  // namespace tutti
