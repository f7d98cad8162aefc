// A device that does what another one does and says something else about itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "device/device.hpp"

namespace tutti::test {

// What is said; changed by tests while the device is open.
struct Statement {
  std::function<void(DeviceFacts&)> facts = [](DeviceFacts&) {};
  std::function<void(StripeLayout&)> layout = [](StripeLayout&) {};
  // Of a range; what layout() says where there is none.
  std::function<StripeLayout(Extent)> layout_for;
  std::string layout_problem;
  std::function<void()> before_look = [] {};  // when view_mapped() has mapped its range
};

class RestatedDevice final : public DeviceBackend {
 public:
  RestatedDevice(Device device, std::shared_ptr<const Statement> statement)
      : device_(std::move(device)), statement_(std::move(statement)) {}

  DeviceFacts facts() const override {
    DeviceFacts facts = device_->facts();
    statement_->facts(facts);
    return facts;
  }
  StripeLayout layout() const override {
    StripeLayout layout = device_->layout();
    statement_->layout(layout);
    return layout;
  }
  StripeLayout layout_for(Extent range) const override {
    return statement_->layout_for ? statement_->layout_for(range) : layout();
  }
  LayoutReport layout_report() const override {
    LayoutReport report = device_->layout_report();
    if (!statement_->layout_problem.empty()) report.problem = statement_->layout_problem;
    return report;
  }
  Result<std::uint64_t> submit(std::span<Transfer> batch) override {
    return device_->submit(batch);
  }
  Status wait(std::uint64_t ticket) override { return device_->wait(ticket); }
  Status view_mapped(Extent range, const std::function<void(const std::byte*)>& look) override {
    return device_->view_mapped(range, [&](const std::byte* mapped) {
      statement_->before_look();
      look(mapped);
    });
  }
  Result<PageView> view(Extent range) override {
    statement_->before_look();
    return device_->view(range);
  }
  bool is_dense() const override { return device_->is_dense(); }
  Result<std::int64_t> size() override { return device_->size(); }
  Status resize(std::int64_t bytes) override { return device_->resize(bytes); }
  Status preallocate(std::int64_t bytes) override { return device_->preallocate(bytes); }
  Status sync() override { return device_->sync(); }
  Status lock(Extent range, LockMode mode) override { return device_->lock(range, mode); }
  Status unlock(Extent range) override { return device_->unlock(range); }
  Status close() override { return device_.close(); }

 private:
  Device device_;
  std::shared_ptr<const Statement> statement_;
};

}  // namespace tutti::test
