// The abstract storage device (ADIO's role): a handful of operations on byte ranges of one open
// file. No MPI in here. A device implements what its storage does natively and states what it can
// as facts; everything else has one generic implementation above this line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/extent.hpp"
#include "base/result.hpp"
#include "device/page_view.hpp"
#include "layout/found_layout.hpp"

namespace tutti {

enum class TransferKind : std::uint8_t { read, write };

// One contiguous piece of a batch. The device sets `done`; a read that meets the end of the file is
// short without being an error, a successful write never is.
struct Transfer {
  TransferKind kind = TransferKind::read;
  std::int64_t offset = 0;
  std::byte* memory = nullptr;
  std::int64_t bytes = 0;
  std::int64_t done = 0;
};

struct DeviceFacts {
  bool asynchronous = false;    // submit() returns before the transfers are done
  bool has_locks = false;       // lock() works between processes
  bool server_cache = false;    // bytes read by one client are quick to read for the next
  bool batches = false;         // a batch of small pieces costs much less than one call each
  bool single_reads = false;    // pieces that are apart in the file are a request each, list or not
  bool any_order = false;       // I/O nodes serve requests as well in one order as in another
  bool lazy = false;            // written bytes reach other processes by publish() and distrust()
  bool maps = false;            // store_mapped() works
  bool maps_reads = false;      // view_mapped() works
  std::int64_t best_bytes = 0;  // request size the storage prefers; 0: no preference
};

// What the storage says of a file's striping, for people.
struct LayoutReport {
  Striping striping;
  std::string problem;  // one sentence where it could not be understood
};

enum class LockMode : std::uint8_t { shared, exclusive };

// What a device must provide. Implementations are private to src/device. Several threads may use
// one backend at once, close() excepted. After close() every call fails with invalid_handle.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;
  virtual DeviceFacts facts() const = 0;
  // How the file lies on I/O nodes, as far as it holds for every offset.
  virtual StripeLayout layout() const = 0;
  // The same for storage that places every piece of a file on its own: covers `range` where the
  // storage can tell. Never fails: what cannot be found out is a layout without striping.
  virtual StripeLayout layout_for(Extent range) const;
  virtual LayoutReport layout_report() const;
  // Starts a batch and returns its ticket. `batch` and its memory stay valid until wait(). Ranges
  // of one batch, and of batches in flight together, may overlap only where all of them are reads:
  // the order is free. A device that works at once reports the batch's first error here, without a
  // ticket; after an error the transfers behind the failed one may not have been tried.
  virtual Result<std::uint64_t> submit(std::span<Transfer> batch) = 0;
  // Blocks until the batch is done; fails with the first error in it. Each ticket is waited for
  // once.
  virtual Status wait(std::uint64_t ticket) = 0;
  // True when wait(ticket), which is still due, would not block. Drives the batch on; never blocks.
  virtual Result<bool> test(std::uint64_t ticket);
  // submit and wait in one, where a device knows a shorter way.
  virtual Status run(std::span<Transfer> batch);
  // REQUIRES: facts().maps. Maps the range for the time of `fill`, which stores into it what it
  // likes and owns nothing while it runs; the range exists afterwards. Other bytes keep their
  // values even while others write them.
  virtual Status store_mapped(Extent range, const std::function<void(std::byte*)>& fill);
  // REQUIRES: facts().maps_reads, a range that ends within the file. Shows the range's bytes to
  // `look`, which owns nothing while it runs.
  virtual Status view_mapped(Extent range, const std::function<void(const std::byte*)>& look);
  // REQUIRES: facts().maps_reads. The same for many looks at parts of the range; for stores too
  // where facts().maps.
  virtual Result<PageView> view(Extent range);
  // False where the file has holes, as far as that is known: seeing them would fill them.
  virtual bool is_dense() const { return true; }
  virtual Result<std::int64_t> size() = 0;
  virtual Status resize(std::int64_t bytes) = 0;
  virtual Status preallocate(
      std::int64_t bytes) = 0;  // storage for [0, bytes) exists; never shrinks
  // On stable storage, and as publish() and distrust().
  virtual Status sync() = 0;
  // Lazy devices: what this process has written is there for others' reads from now on.
  virtual Status publish() { return {}; }
  // Lazy devices: reads from now on find what others have published.
  virtual void distrust() {}
  // Lazy devices: while set, all processes that set it see each other's writes at once.
  virtual Status set_coherent(bool) { return {}; }
  // REQUIRES: facts().has_locks. Blocks until no other holder conflicts: another process, another
  // open or another thread of this one. Unlocked by the same thread with the same extent; a thread
  // that asks for a range conflicting with one it holds on this backend gets file_in_use instead of
  // waiting for ever. An empty range is granted without effect.
  virtual Status lock(Extent range, LockMode mode) = 0;
  virtual Status unlock(Extent range) = 0;
  virtual Status close() = 0;
};

// Owner of one open file; move-only; closes quietly when destroyed.
class Device {
 public:
  Device() = default;
  explicit Device(std::unique_ptr<DeviceBackend> backend) : backend_(std::move(backend)) {}
  Device(Device&&) noexcept = default;
  Device& operator=(Device&&) noexcept = default;

  explicit operator bool() const { return backend_ != nullptr; }
  DeviceBackend* operator->() const { return backend_.get(); }

  // Local: submit and wait in one.
  Status transfer(std::span<Transfer> batch);
  // Local: one contiguous read or write. Returns the bytes moved (short only at the end of the
  // file).
  Result<std::int64_t> read(std::int64_t offset, std::span<std::byte> into);
  Result<std::int64_t> write(std::int64_t offset, std::span<const std::byte> from);
  // Local: releases the file; later calls fail. Closing twice is harmless. REQUIRES: every ticket
  // was waited for.
  Status close();

 private:
  std::unique_ptr<DeviceBackend> backend_;
};

// A byte-range lock held until destruction. Empty where the device has no locks, and for an empty
// range. REQUIRES: the device outlives it (it may be moved).
class RangeLock {
 public:
  static Result<RangeLock> acquire(Device& device, Extent range, LockMode mode);
  RangeLock() = default;
  RangeLock(RangeLock&& other) noexcept;
  RangeLock& operator=(RangeLock&& other) noexcept;
  ~RangeLock();

 private:
  DeviceBackend* backend_ = nullptr;
  Extent range_;
};

}  // namespace tutti
