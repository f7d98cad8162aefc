// What a process holds of memory and descriptors, and whether a test left it so.
#pragma once

#include <dirent.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <thread>

namespace tutti::test {

#if defined(TUTTI_HOST_MPICH)
// In some processes, not in others, MPICH keeps 64 bytes of each datatype that is made and freed,
// also without any file, and some more for each thousand of them.
inline constexpr std::int64_t kHostBytesPerType = 80;
// What a host may keep for itself meanwhile. MPICH gets room for communicators in blocks.
inline constexpr std::int64_t kSlackBytes = 192 * 1024;
#else
inline constexpr std::int64_t kHostBytesPerType = 0;
inline constexpr std::int64_t kSlackBytes = 64 * 1024;
#endif

inline std::int64_t heap_bytes() {
  const struct mallinfo2 facts = mallinfo2();
  return static_cast<std::int64_t>(facts.uordblks + facts.hblkhd);
}

inline std::int64_t resident_bytes() {
  std::ifstream in("/proc/self/status");
  std::string word;
  while (in >> word)
    if (word == "VmRSS:") {
      std::int64_t kib = 0;
      in >> kib;
      return kib * 1024;
    }
  return 0;
}

inline int entries_in(const char* path) {
  DIR* const folder = opendir(path);
  int found = 0;
  while (readdir(folder) != nullptr) ++found;
  closedir(folder);
  return found;
}

inline int descriptor_count() { return entries_in("/proc/self/fd"); }
inline int thread_count() { return entries_in("/proc/self/task"); }

// A thread that was joined leaves the list of threads a little later. Looks until the count is
// what is expected, or nothing helps.
inline int thread_count_at_last(int expected) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (thread_count() != expected && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return thread_count();
}

// The count once nothing of what went before is ending any more.
inline int steady_thread_count() {
  int before = -1;
  for (int now = thread_count(); now != before; now = thread_count()) {
    before = now;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return before;
}

struct Footprint {
  std::int64_t heap = heap_bytes();
  std::int64_t resident = resident_bytes();
  int descriptors = descriptor_count();
};

inline void expect_no_growth(const Footprint& before, const char* what,
                             std::int64_t types_made = 0) {
  const Footprint after;
  EXPECT_LE(after.heap, before.heap + kSlackBytes + types_made * kHostBytesPerType) << what;
  EXPECT_LE(after.resident, before.resident + 4 * 1024 * 1024) << what;
  EXPECT_EQ(after.descriptors, before.descriptors) << what;
}

}  // namespace tutti::test
