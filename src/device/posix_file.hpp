// One file descriptor and everything done to it with plain system calls; what the posix, uring and
// striped devices are made of.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/extent.hpp"
#include "base/result.hpp"
#include "device/range_table.hpp"
#include "device/registry.hpp"
#include "device/transfers.hpp"

namespace tutti {

// Linux moves at most this many bytes in one call (the largest page-aligned int).
inline constexpr std::int64_t kMaxCallBytes = 2'147'479'552;

struct PosixLimits {
  std::int64_t call_bytes = kMaxCallBytes;
  std::int32_t call_pieces = 1024;  // IOV_MAX; larger values count as 1024
};

// Owner of a file descriptor; move-only; closes when destroyed. Thread-safe but for close.
class PosixFile {
 public:
  PosixFile() = default;
  PosixFile(PosixFile&& other) noexcept;
  PosixFile& operator=(PosixFile&& other) noexcept;
  ~PosixFile();

  // Fails with bad_file_name for directories, pipes and sockets.
  static Result<PosixFile> open(std::string path, const OpenOptions& options,
                                PosixLimits limits = {});
  static Status remove(const std::string& path);

  // Moves a batch in its order; neighbours that continue each other in the file go in one vectored
  // call. One transfer of at most call_bytes is one system call and no allocation.
  Status transfer(std::span<Transfer> batch) const;

  Result<std::int64_t> size() const;
  // Whether there is storage for as many bytes as the file has.
  bool is_dense() const;
  Status resize(std::int64_t bytes) const;
  // fallocate(2): keeps data as it is. Where the file system has no such call the file is only
  // extended, without blocks behind it; that is not safe against a concurrent writer beyond the
  // end.
  Status preallocate(std::int64_t bytes) const;
  Status sync() const;
  // Open-file-description locks; per-process ones where the system has no others.
  Status lock(Extent range, LockMode mode) const;
  Status unlock(Extent range) const;
  Status close();

  bool is_open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  const std::string& path() const { return path_; }
  AccessRights rights() const { return rights_; }
  const PosixLimits& limits() const { return limits_; }
  // The file system's preferred request size where it names an unusual one, else 0.
  std::int64_t best_bytes() const { return best_bytes_; }

 private:
  Status move_one(Transfer& transfer) const;
  Status move_run(std::span<Transfer> run) const;
  Status system_lock(Extent range, short type) const;

  int descriptor_ = -1;
  std::string path_;
  AccessRights rights_;
  PosixLimits limits_;
  std::int64_t best_bytes_ = 0;
  bool regular_ = false;
  std::unique_ptr<RangeTable> locks_;
};

}  // namespace tutti
