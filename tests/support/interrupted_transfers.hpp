// Transfers as signals leave them: this executable's own versions of the system's functions stand
// in front of the C library's. To be included by one file of a test.
#pragma once

#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>

namespace tutti::test {

inline std::atomic<bool> interrupting = false;
inline std::atomic<int> interruptions = 0;
inline std::atomic<int> transfers = 0;

// Whether this call fails with EINTR.
inline bool interrupt_now() {
  if (!interrupting || transfers.fetch_add(1) % 2 == 1) return false;
  ++interruptions;
  errno = EINTR;
  return true;
}

inline std::size_t bytes_now(std::size_t bytes) {
  constexpr std::size_t kMost = 30'001;
  return interrupting ? std::min(bytes, kMost) : bytes;
}

inline int pieces_now(int pieces) { return interrupting ? std::min(pieces, 7) : pieces; }

}  // namespace tutti::test

#pragma GCC visibility push(default)
extern "C" {

inline ssize_t interrupted_pread(int file, void* data, std::size_t bytes, off_t at) {
  if (tutti::test::interrupt_now()) return -1;
  return syscall(SYS_pread64, file, data, tutti::test::bytes_now(bytes), at);
}
inline ssize_t interrupted_pwrite(int file, const void* data, std::size_t bytes, off_t at) {
  if (tutti::test::interrupt_now()) return -1;
  return syscall(SYS_pwrite64, file, data, tutti::test::bytes_now(bytes), at);
}
inline ssize_t interrupted_preadv(int file, const iovec* pieces, int count, off_t at) {
  if (tutti::test::interrupt_now()) return -1;
  return syscall(SYS_preadv, file, pieces, tutti::test::pieces_now(count), at, 0);
}
inline ssize_t interrupted_pwritev(int file, const iovec* pieces, int count, off_t at) {
  if (tutti::test::interrupt_now()) return -1;
  return syscall(SYS_pwritev, file, pieces, tutti::test::pieces_now(count), at, 0);
}

ssize_t pread(int file, void* data, std::size_t bytes, off_t at) {
  return interrupted_pread(file, data, bytes, at);
}
ssize_t pread64(int file, void* data, std::size_t bytes, off64_t at) {
  return interrupted_pread(file, data, bytes, at);
}
ssize_t pwrite(int file, const void* data, std::size_t bytes, off_t at) {
  return interrupted_pwrite(file, data, bytes, at);
}
ssize_t pwrite64(int file, const void* data, std::size_t bytes, off64_t at) {
  return interrupted_pwrite(file, data, bytes, at);
}
ssize_t preadv(int file, const iovec* pieces, int count, off_t at) {
  return interrupted_preadv(file, pieces, count, at);
}
ssize_t preadv64(int file, const iovec* pieces, int count, off64_t at) {
  return interrupted_preadv(file, pieces, count, at);
}
ssize_t pwritev(int file, const iovec* pieces, int count, off_t at) {
  return interrupted_pwritev(file, pieces, count, at);
}
ssize_t pwritev64(int file, const iovec* pieces, int count, off64_t at) {
  return interrupted_pwritev(file, pieces, count, at);
}

ssize_t preadv2(int file, const iovec* pieces, int count, off_t at, int) {
  return interrupted_preadv(file, pieces, count, at);
}
ssize_t preadv64v2(int file, const iovec* pieces, int count, off64_t at, int) {
  return interrupted_preadv(file, pieces, count, at);
}
ssize_t pwritev2(int file, const iovec* pieces, int count, off_t at, int) {
  return interrupted_pwritev(file, pieces, count, at);
}
ssize_t pwritev64v2(int file, const iovec* pieces, int count, off64_t at, int) {
  return interrupted_pwritev(file, pieces, count, at);
}

}  // extern "C"
#pragma GCC visibility pop
