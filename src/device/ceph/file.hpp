// A file of a Ceph file system.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "device/ceph/mount.hpp"
#include "device/ceph/workers.hpp"
#include "device/device.hpp"
#include "device/range_table.hpp"
#include "device/registry.hpp"
#include "device/transfers.hpp"
#include "layout/ceph_layout.hpp"

namespace tutti {

// Lazy unless told to be coherent: writes stay in this process's cache until publish(), sync() or
// close(), reads may come from it until distrust() or sync().
class CephBackend final : public DeviceBackend {
 public:
  static Result<Device> open(const std::string& path, const OpenOptions& options);
  static Status remove(const std::string& path);
  CephBackend(const CephBackend&) = delete;
  CephBackend& operator=(const CephBackend&) = delete;
  ~CephBackend() override { (void)close(); }

  DeviceFacts facts() const override;
  StripeLayout layout() const override { return ceph_layout(striping_).layout; }
  StripeLayout layout_for(Extent range) const override;
  LayoutReport layout_report() const override { return {ceph_layout(striping_).striping, {}}; }
  Result<std::uint64_t> submit(std::span<Transfer> batch) override;
  Status wait(std::uint64_t ticket) override;
  Result<bool> test(std::uint64_t ticket) override;
  Status run(std::span<Transfer> batch) override;
  Result<std::int64_t> size() override;
  Status resize(std::int64_t bytes) override;
  Status preallocate(std::int64_t bytes) override;
  Status sync() override;
  Status publish() override;
  void distrust() override { ++doubts_; }
  Status set_coherent(bool coherent) override;
  Status lock(Extent range, LockMode mode) override;
  Status unlock(Extent range) override;
  Status close() override;

 private:
  CephBackend(std::string path, AccessRights rights, std::shared_ptr<CephMount> mount, int file);
  bool is_open() const { return mount_ != nullptr; }
  tl::unexpected<Error> failed(std::int64_t answer, std::string_view doing) const;
  Status move(Workers::Job job);
  Status write_together(Workers::Job job);
  Status move_one(Transfer& transfer);
  Status flush();
  Status refresh();
  std::int64_t read_some(const Transfer& what);
  std::int64_t write_some(std::span<const Transfer> pieces);
  Result<Fh*> lock_file();
  Status cluster_lock(Extent range, short type);

  std::string path_;
  AccessRights rights_;
  std::shared_ptr<CephMount> mount_;
  int file_;
  CephStriping striping_;
  std::atomic<bool> dirty_{false};  // some write may not have left this process
  // Cached bytes may be older than what others published unless all doubts are settled.
  std::atomic<std::uint64_t> doubts_{1};
  std::atomic<std::uint64_t> settled_{0};
  std::atomic<bool> coherent_{false};
  std::mutex refreshing_;
  std::mutex flushing_;
  RangeTable locks_;
  std::mutex lock_opening_;
  Fh* lock_file_ = nullptr;  // opened by the first lock
  Workers workers_;
};

}  // namespace tutti
