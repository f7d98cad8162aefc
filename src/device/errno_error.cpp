#include "device/errno_error.hpp"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <string>

namespace tutti {

namespace {

constexpr int kLastErrno = 133;  // EHWPOISON, the highest Linux defines

std::string describe(int code) {
  const char* known = strerrordesc_np(code);
  if (known == nullptr) return "error " + std::to_string(code);
  std::string text = known;
  const bool acronym = text.size() > 1 && text[1] >= 'A' && text[1] <= 'Z';
  if (!acronym && text[0] >= 'A' && text[0] <= 'Z')
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

}  // namespace

ErrorKind errno_kind(int code) {
  switch (code) {
    case ENOENT:
      return ErrorKind::no_such_file;
    case EEXIST:
      return ErrorKind::file_exists;
    case EACCES:
    case EPERM:
      return ErrorKind::access_denied;
    case EROFS:
      return ErrorKind::read_only;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
      return ErrorKind::bad_file_name;
    case ENOSPC:
      return ErrorKind::no_space;
    case EDQUOT:
    case EFBIG:  // a limit of this process, in practice
      return ErrorKind::quota_exceeded;
    case EBUSY:
    case ETXTBSY:
      return ErrorKind::file_in_use;
    case EINVAL:
    case EFAULT:
      return ErrorKind::invalid_argument;
    case EBADF:
      return ErrorKind::invalid_handle;
    case ENOMEM:
      return ErrorKind::no_memory;
    case ENOSYS:
    case EOPNOTSUPP:
    case ESPIPE:
      return ErrorKind::unsupported_operation;
    default:
      return ErrorKind::io;
  }
}

Error errno_error(int code, std::string_view file, std::string_view doing) {
  std::string message(file);
  message += ": ";
  message += describe(code);
  if (!doing.empty()) {
    message += " (";
    message += doing;
    message += ")";
  }
  return {errno_kind(code), std::move(message)};
}

std::string transfer_text(const Transfer& what) {
  return std::string(what.kind == TransferKind::read ? "reading " : "writing ") +
         std::to_string(what.bytes) + " bytes at offset " + std::to_string(what.offset);
}

Error transfer_error(int code, std::string_view file, const Transfer& what) {
  return errno_error(code, file, transfer_text(what));
}

std::optional<int> errno_from_name(std::string_view name) {
  int code = 0;
  const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), code);
  if (wrong == std::errc() && end == name.data() + name.size()) {
    return code > 0 && strerrordesc_np(code) != nullptr ? std::optional<int>(code) : std::nullopt;
  }
  for (code = 1; code <= kLastErrno; ++code) {
    const char* known = strerrorname_np(code);
    if (known != nullptr && name == known) return code;
  }
  if (name == "ENOTSUP") return ENOTSUP;  // second names, which glibc does not list
  if (name == "EWOULDBLOCK") return EAGAIN;
  return std::nullopt;
}

Error closed_error(std::string_view file) {
  return {ErrorKind::invalid_handle, std::string(file) + ": the file is closed"};
}

}  // namespace tutti
