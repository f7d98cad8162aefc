#include "device/transfers.hpp"

#include <string>

namespace tutti {

namespace {

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
    if (is_sound(transfer, rights)) continue;
    for (Transfer& each : batch) each.done = 0;
    return tl::make_unexpected(
        refusal(file, transfer, is_sound_range(transfer.offset, transfer.bytes)));
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
  if (is_sound_range(range.offset, range.bytes)) return {};
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
