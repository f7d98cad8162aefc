// What every device does with transfers: refuse the ones that cannot be right, and continue the
// ones that come back short.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "base/extent.hpp"
#include "device/device.hpp"
#include "device/errno_error.hpp"

namespace tutti {

// How an open file may be used.
struct AccessRights {
  bool read = false;
  bool write = false;
};

// Whether a file can have the range and may be used in the direction.
inline bool is_sound_range(std::int64_t offset, std::int64_t bytes) {
  return offset >= 0 && bytes >= 0 && offset <= std::numeric_limits<std::int64_t>::max() - bytes;
}
inline bool is_sound(const Transfer& transfer, AccessRights rights) {
  return is_sound_range(transfer.offset, transfer.bytes) &&
         (transfer.kind == TransferKind::read ? rights.read : rights.write);
}

// Sets every `done` to 0. Fails with read_only or access_denied for a direction the file was not
// opened for, with invalid_argument for ranges that are negative or end beyond 2^63 - 1.
Status check_batch(std::string_view file, AccessRights rights, std::span<Transfer> batch);

// Fails with invalid_argument for a size no file can have, with read_only without write access.
Status check_resize(std::string_view file, AccessRights rights, std::int64_t bytes);

// Fails with invalid_argument for a range no file can have.
Status check_lock(std::string_view file, Extent range);

// A write that moved nothing would loop for ever.
Error stuck_error(std::string_view file, const Transfer& what);

// The rest of `transfer`, at most `limit_bytes` of it.
inline Transfer rest_of(const Transfer& transfer, std::int64_t limit_bytes) {
  return {.kind = transfer.kind,
          .offset = transfer.offset + transfer.done,
          .memory = transfer.memory + transfer.done,
          .bytes = std::min(transfer.bytes - transfer.done, limit_bytes)};
}

// Calls `move_some(Transfer) -> Result<int64 bytes moved>` for the rest, at most `limit_bytes` a
// call, until the transfer is whole or a read meets the end of the file (a call that moves
// nothing).
template <class MoveSome>
Status move_all(Transfer& transfer, std::int64_t limit_bytes, std::string_view file,
                MoveSome&& move_some) {
  while (transfer.done < transfer.bytes) {
    const Transfer rest = rest_of(transfer, limit_bytes);
    const Result<std::int64_t> moved = move_some(rest);
    if (!moved) return tl::make_unexpected(moved.error());
    if (*moved == 0) {
      if (transfer.kind == TransferKind::read) return {};
      return tl::make_unexpected(stuck_error(file, rest));
    }
    transfer.done += *moved;
  }
  return {};
}

}  // namespace tutti
