// The request log of a striped file: who asked which component for what.
#pragma once

#include <span>
#include <string>

#include "device/posix_file.hpp"
#include "device/striped.hpp"

namespace tutti {

std::string request_log_path(const std::string& path);

// Appends requests to the log of a striped file if there was one when it was opened, else does
// nothing. What cannot be written is lost: the log must not make a transfer fail.
class RequestLog {
 public:
  RequestLog() = default;
  explicit RequestLog(const std::string& path);
  RequestLog(RequestLog&& other) noexcept;
  RequestLog& operator=(RequestLog&& other) noexcept;
  ~RequestLog();

  bool wanted() const { return descriptor_ >= 0; }
  // `batch` goes to one component; neighbours that continue each other are one request.
  void record(std::int32_t component, std::span<const Transfer> batch) const;

 private:
  int descriptor_ = -1;
};

}  // namespace tutti
