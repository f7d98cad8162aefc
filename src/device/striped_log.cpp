#include "device/striped_log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>

#include "device/errno_error.hpp"

namespace tutti {

std::string request_log_path(const std::string& path) { return path + ".stripes/log"; }

RequestLog::RequestLog(const std::string& path)
    : descriptor_(::open(request_log_path(path).c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)) {}

RequestLog::RequestLog(RequestLog&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

RequestLog& RequestLog::operator=(RequestLog&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

RequestLog::~RequestLog() {
  if (descriptor_ >= 0) (void)::close(descriptor_);
}

void RequestLog::record(std::int32_t component, std::span<const Transfer> batch) const {
  std::string text;
  for (std::size_t first = 0; first < batch.size();) {
    std::size_t next = first;
    std::int64_t end = batch[first].offset;
    while (next < batch.size() && batch[next].kind == batch[first].kind &&
           batch[next].offset == end) {
      end += batch[next++].bytes;
    }
    text += std::to_string(getpid()) + " " + std::to_string(component) +
            (batch[first].kind == TransferKind::read ? " r " : " w ") +
            std::to_string(batch[first].offset) + " " + std::to_string(end - batch[first].offset) +
            "\n";
    first = next;
  }
  // One write, so that the lines of several processes do not mix.
  if (!text.empty()) (void)!::write(descriptor_, text.data(), text.size());
}

Status start_request_log(const std::string& path) {
  const std::string log = request_log_path(path);
  std::error_code wrong;
  std::filesystem::create_directories(std::filesystem::path(log).parent_path(), wrong);
  if (wrong) return tl::make_unexpected(errno_error(wrong.value(), log, "creating the log"));
  const Result<PosixFile> file =
      PosixFile::open(log, {.read = false, .write = true, .create = true});
  if (!file) return tl::make_unexpected(file.error());
  return file->resize(0);
}

Result<std::vector<RequestLogEntry>> read_request_log(const std::string& path) {
  const Result<PosixFile> file = PosixFile::open(request_log_path(path), {});
  if (!file) return tl::make_unexpected(file.error());
  const Result<std::int64_t> bytes = file->size();
  if (!bytes) return tl::make_unexpected(bytes.error());
  std::string text(static_cast<std::size_t>(*bytes), '\0');
  Transfer whole{.kind = TransferKind::read,
                 .memory = reinterpret_cast<std::byte*>(text.data()),
                 .bytes = *bytes};
  if (Status moved = file->transfer({&whole, 1}); !moved) {
    return tl::make_unexpected(moved.error());
  }
  std::vector<RequestLogEntry> entries;
  std::istringstream lines(text);
  RequestLogEntry entry;
  char direction = 'r';
  while (lines >> entry.process >> entry.component >> direction >> entry.range.offset >>
         entry.range.bytes) {
    entry.kind = direction == 'r' ? TransferKind::read : TransferKind::write;
    entries.push_back(entry);
  }
  return entries;
}

}  // namespace tutti
