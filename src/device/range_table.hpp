// Byte-range locks among the threads of one process. Locks of the operating system belong to an
// open file, so two threads that share one would not exclude each other without this table.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/extent.hpp"
#include "base/result.hpp"
#include "device/device.hpp"

namespace tutti {

class RangeTable {
 public:
  // Waits until no held range conflicts. `owner` tells holders apart for release_all. Fails with
  // file_in_use where the conflicting range is held by this very thread.
  Status acquire(std::string_view file, const void* owner, Extent range, LockMode mode);

  // Forgets a range; before that calls `unlock` for each part of it that nobody else holds.
  // Unknown ranges are ignored.
  void release(const void* owner, Extent range, const std::function<void(Extent)>& unlock);

  void release_all(const void* owner);

 private:
  struct Held {
    const void* owner;
    Extent range;
    LockMode mode;
    std::thread::id thread;
  };
  const Held* conflict(Extent range, LockMode mode) const;

  std::mutex mutex_;
  std::condition_variable released_;
  std::vector<Held> held_;
};

}  // namespace tutti
