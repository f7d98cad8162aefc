// Memory between two pages that nobody may touch.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace tutti::testing {

// Up to `capacity` bytes that end, or start, exactly at an inaccessible page.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::int64_t capacity) {
    const std::int64_t page = sysconf(_SC_PAGESIZE);
    bytes_ = (capacity + page - 1) / page * page;
    mapped_ = bytes_ + 2 * page;
    void* at = mmap(nullptr, static_cast<std::size_t>(mapped_), PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) std::abort();
    map_ = static_cast<std::byte*>(at);
    first_ = map_ + page;
    if (mprotect(first_, static_cast<std::size_t>(bytes_), PROT_READ | PROT_WRITE) != 0)
      std::abort();
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  ~GuardedBytes() { munmap(map_, static_cast<std::size_t>(mapped_)); }

  // REQUIRES: bytes <= capacity.
  std::span<std::byte> at_end(std::int64_t bytes) {
    if (bytes > bytes_) std::abort();
    return {first_ + bytes_ - bytes, static_cast<std::size_t>(bytes)};
  }
  std::span<std::byte> at_start(std::int64_t bytes) {
    if (bytes > bytes_) std::abort();
    return {first_, static_cast<std::size_t>(bytes)};
  }

 private:
  std::int64_t bytes_ = 0;
  std::int64_t mapped_ = 0;
  std::byte* map_ = nullptr;
  std::byte* first_ = nullptr;
};

}  // namespace tutti::testing
