// Files of the local or mounted file system, reached by plain system calls; the default device.
#pragma once

#include <mutex>
#include <string>

#include "device/device.hpp"
#include "device/layout_probe.hpp"
#include "device/mapped_file.hpp"
#include "device/posix_file.hpp"
#include "device/registry.hpp"

namespace tutti {

class PosixBackend : public DeviceBackend {
 public:
  // REQUIRES: `system` outlives it.
  explicit PosixBackend(PosixFile file, const FileSystemQueries& system = system_queries())
      : file_(std::move(file)),
        maps_(can_map(file_)),
        maps_reads_(can_view(file_)),
        system_(system),
        layout_(probe_layout(file_.descriptor(), system_)) {}

  DeviceFacts facts() const override;
  StripeLayout layout() const override { return layout_.found.layout; }
  StripeLayout layout_for(Extent range) const override;
  LayoutReport layout_report() const override;
  Result<std::uint64_t> submit(std::span<Transfer> batch) override;
  Status wait(std::uint64_t ticket) override;
  Status run(std::span<Transfer> batch) override { return file_.transfer(batch); }
  Status store_mapped(Extent range, const std::function<void(std::byte*)>& fill) override {
    return tutti::store_mapped(file_, range, fill);
  }
  Result<PageView> view(Extent range) override {
    return PageView::open(file_.descriptor(), file_.path(), range, maps_);
  }
  bool is_dense() const override { return file_.is_dense(); }
  Result<std::int64_t> size() override { return file_.size(); }
  Status resize(std::int64_t bytes) override { return file_.resize(bytes); }
  Status preallocate(std::int64_t bytes) override { return file_.preallocate(bytes); }
  Status sync() override { return file_.sync(); }
  Status lock(Extent range, LockMode mode) override { return file_.lock(range, mode); }
  Status unlock(Extent range) override { return file_.unlock(range); }
  Status close() override { return file_.close(); }

 protected:
  PosixFile file_;
  bool maps_;
  bool maps_reads_;

 private:
  const FileSystemQueries& system_;
  ProbedLayout layout_;  // as it was when the file was opened
  mutable std::mutex asking_;
  mutable std::string later_problem_;  // of the last time the file system was asked again
};

// PosixFile::open, with the striping wished for where the file is new and its file system obliges.
Result<PosixFile> open_with_striping(const std::string& path, const OpenOptions& options,
                                     PosixLimits limits = {});

Result<Device> open_posix(const std::string& path, const OpenOptions& options);
Status remove_posix(const std::string& path);

}  // namespace tutti
