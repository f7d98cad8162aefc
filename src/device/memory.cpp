#include "device/memory.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include "device/errno_error.hpp"
#include "device/range_table.hpp"
#include "device/transfers.hpp"

namespace tutti {

namespace {

constexpr std::int64_t kChunkBytes = 1 << 20;

// Bytes in chunks that exist once something was written to them; the rest reads as zeros.
class MemoryFile {
 public:
  Status move(std::string_view name, Transfer& transfer);
  std::int64_t size();
  void resize(std::int64_t bytes);
  void grow(std::int64_t bytes);
  RangeTable& locks() { return locks_; }

 private:
  // The part of [offset, end) that lies in one chunk.
  static std::int64_t part(std::int64_t offset, std::int64_t end) {
    return std::min(end - offset, kChunkBytes - offset % kChunkBytes);
  }
  std::byte* chunk(std::int64_t offset);

  std::mutex mutex_;
  std::int64_t size_ = 0;
  std::map<std::int64_t, std::unique_ptr<std::byte[]>> chunks_;
  RangeTable locks_;
};

std::byte* MemoryFile::chunk(std::int64_t offset) {
  auto& bytes = chunks_[offset / kChunkBytes];
  if (!bytes) bytes.reset(new (std::nothrow) std::byte[kChunkBytes]());
  return bytes.get();
}

Status MemoryFile::move(std::string_view name, Transfer& transfer) {
  const std::lock_guard guard(mutex_);
  const bool read = transfer.kind == TransferKind::read;
  const std::int64_t wanted = transfer.offset + transfer.bytes;
  const std::int64_t end = read ? std::min(wanted, std::max(size_, transfer.offset)) : wanted;
  while (transfer.offset + transfer.done < end) {
    const std::int64_t at = transfer.offset + transfer.done;
    const auto bytes = static_cast<std::size_t>(part(at, end));
    std::byte* memory = transfer.memory + transfer.done;
    if (read) {
      const auto found = chunks_.find(at / kChunkBytes);
      if (found == chunks_.end()) {
        std::memset(memory, 0, bytes);
      } else {
        std::memcpy(memory, found->second.get() + at % kChunkBytes, bytes);
      }
    } else {
      std::byte* target = chunk(at);
      if (target == nullptr) {
        chunks_.erase(at / kChunkBytes);
        return tl::make_unexpected(transfer_error(ENOMEM, name, transfer));
      }
      std::memcpy(target + at % kChunkBytes, memory, bytes);
      size_ = std::max(size_, at + static_cast<std::int64_t>(bytes));
    }
    transfer.done += static_cast<std::int64_t>(bytes);
  }
  return {};
}

std::int64_t MemoryFile::size() {
  const std::lock_guard guard(mutex_);
  return size_;
}

void MemoryFile::resize(std::int64_t bytes) {
  const std::lock_guard guard(mutex_);
  if (bytes < size_) {
    // What lies behind the new end must read as zeros when the file grows again.
    chunks_.erase(chunks_.lower_bound((bytes + kChunkBytes - 1) / kChunkBytes), chunks_.end());
    const auto last = chunks_.find(bytes / kChunkBytes);
    if (last != chunks_.end()) {
      const std::int64_t kept = bytes % kChunkBytes;
      std::memset(last->second.get() + kept, 0, static_cast<std::size_t>(kChunkBytes - kept));
    }
  }
  size_ = bytes;
}

void MemoryFile::grow(std::int64_t bytes) {
  const std::lock_guard guard(mutex_);
  size_ = std::max(size_, bytes);
}

// Names are all that ties two opens of a memory file together, and they must meet across threads
// and across the layers above, which know devices by name only: hence one table per process.
struct MemoryTable {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<MemoryFile>> files;
};

MemoryTable& memory_table() {
  static MemoryTable table;
  return table;
}

class MemoryBackend final : public DeviceBackend {
 public:
  MemoryBackend(std::string name, AccessRights rights, std::shared_ptr<MemoryFile> file)
      : name_(std::move(name)), rights_(rights), file_(std::move(file)) {}
  ~MemoryBackend() override { (void)close(); }

  DeviceFacts facts() const override { return {.has_locks = true, .batches = true}; }
  StripeLayout layout() const override { return {}; }

  Result<std::uint64_t> submit(std::span<Transfer> batch) override {
    if (!file_) return tl::make_unexpected(closed_error(name_));
    if (Status sound = check_batch(name_, rights_, batch); !sound) {
      return tl::make_unexpected(sound.error());
    }
    for (Transfer& transfer : batch) {
      if (Status moved = file_->move(name_, transfer); !moved) {
        return tl::make_unexpected(moved.error());
      }
    }
    return 0;
  }
  Status wait(std::uint64_t) override { return {}; }

  Result<std::int64_t> size() override {
    if (!file_) return tl::make_unexpected(closed_error(name_));
    return file_->size();
  }
  Status resize(std::int64_t bytes) override {
    if (!file_) return tl::make_unexpected(closed_error(name_));
    Status sound = check_resize(name_, rights_, bytes);
    if (sound) file_->resize(bytes);
    return sound;
  }
  Status preallocate(std::int64_t bytes) override {
    if (!file_) return tl::make_unexpected(closed_error(name_));
    Status sound = check_resize(name_, rights_, bytes);
    if (sound) file_->grow(bytes);
    return sound;
  }
  Status sync() override {
    if (!file_) return tl::make_unexpected(closed_error(name_));
    return {};
  }
  Status lock(Extent range, LockMode mode) override {
    if (!file_) return tl::make_unexpected(closed_error(name_));
    if (Status sound = check_lock(name_, range); !sound || range.bytes == 0) return sound;
    return file_->locks().acquire(name_, this, range, mode);
  }
  Status unlock(Extent range) override {
    if (!file_) return tl::make_unexpected(closed_error(name_));
    file_->locks().release(this, range, [](Extent) {});
    return {};
  }
  Status close() override {
    if (file_) file_->locks().release_all(this);
    file_.reset();
    return {};
  }

 private:
  std::string name_;
  AccessRights rights_;
  std::shared_ptr<MemoryFile> file_;
};

}  // namespace

Result<Device> open_memory(const std::string& name, const OpenOptions& options) {
  if (options.processes > 1)
    return fail(ErrorKind::unsupported_operation,
                "mem:" + name + ": the file would be in the memory of one process, but " +
                    std::to_string(options.processes) +
                    " open it; a file in /dev/shm is in the memory of one node");
  MemoryTable& table = memory_table();
  const std::lock_guard guard(table.mutex);
  const auto found = table.files.find(name);
  std::shared_ptr<MemoryFile> file;
  if (found != table.files.end()) {
    if (options.create && options.exclusive) {
      return tl::make_unexpected(errno_error(EEXIST, name, "creating it"));
    }
    file = found->second;
  } else {
    if (!options.create) return tl::make_unexpected(errno_error(ENOENT, name, "opening it"));
    file = std::make_shared<MemoryFile>();
    table.files.emplace(name, file);
  }
  const AccessRights rights{options.read, options.write};
  return Device(std::make_unique<MemoryBackend>(name, rights, std::move(file)));
}

Status remove_memory(const std::string& name) {
  MemoryTable& table = memory_table();
  const std::lock_guard guard(table.mutex);
  if (table.files.erase(name) == 0) {
    return tl::make_unexpected(errno_error(ENOENT, name, "deleting it"));
  }
  return {};
}

}  // namespace tutti
