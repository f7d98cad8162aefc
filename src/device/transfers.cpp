#include "device/transfers.hpp"

#include <string>

namespace tutti {

namespace {

bool sound_range(std::int64_t offset, std::int64_t bytes) {
  return offset >= 0 && bytes >= 0 && offset <= std::numeric_limits<std::int64_t>::max() - bytes;
}

Error refusal(std::string_view file, const Transfer& what, bool range_is_sound) {
  std::string message = std::string(file) + ": ";
  if (!range_is_sound) {
    return {ErrorKind::invalid_argument,
            message + "no file has such a range (" + transfer_text(what) + ")"};
  }
  if (what.kind == TransferKind::write) {
    return {ErrorKind::read_only,
            message + "opened for reading only (" + transfer_text(what) + ")"};
  }
  return {ErrorKind::access_denied,
          message + "opened for writing only (" + transfer_text(what) + ")"};
}

}  // namespace

Status check_batch(std::string_view file, AccessRights rights, std::span<Transfer> batch) {
  for (Transfer& transfer : batch) {
    transfer.done = 0;
    const bool range_is_sound = sound_range(transfer.offset, transfer.bytes);
    const bool allowed = transfer.kind == TransferKind::read ? rights.read : rights.write;
    if (range_is_sound && allowed) continue;
    for (Transfer& each : batch) each.done = 0;
    return tl::make_unexpected(refusal(file, transfer, range_is_sound));
  }
  return {};
}

Status check_resize(std::string_view file, AccessRights rights, std::int64_t bytes) {
  if (bytes < 0) {
    return fail(ErrorKind::invalid_argument,
                std::string(file) + ": no file has " + std::to_string(bytes) + " bytes");
  }
  if (!rights.write) {
    return fail(ErrorKind::read_only,
                std::string(file) + ": opened for reading only (changing its size)");
  }
  return {};
}

Status check_lock(std::string_view file, Extent range) {
  if (sound_range(range.offset, range.bytes)) return {};
  return fail(ErrorKind::invalid_argument, std::string(file) +
                                               ": no file has such a range (locking " +
                                               std::to_string(range.bytes) + " bytes at offset " +
                                               std::to_string(range.offset) + ")");
}

Error stuck_error(std::string_view file, const Transfer& what) {
  return {ErrorKind::io,
          std::string(file) + ": the storage took no bytes (" + transfer_text(what) + ")"};
}

}  // namespace tutti
