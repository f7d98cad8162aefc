#include "device/device.hpp"

namespace tutti {

Status DeviceBackend::view_mapped(Extent range, const std::function<void(const std::byte*)>& look) {
  auto opened = view(range);
  if (!opened) return tl::make_unexpected(opened.error());
  return opened->look(range, look);
}

Result<PageView> DeviceBackend::view(Extent) {
  return fail(ErrorKind::unsupported_operation, "this device maps no files");
}

Status DeviceBackend::store_mapped(Extent, const std::function<void(std::byte*)>&) {
  return fail(ErrorKind::unsupported_operation, "this device maps no files");
}

StripeLayout DeviceBackend::layout_for(Extent) const { return layout(); }

LayoutReport DeviceBackend::layout_report() const {
  const StripeLayout known = layout();
  if (!known.striped()) return {};
  return {{known.unit_bytes, known.io_nodes, known.first_node}, {}};
}

namespace {

tl::unexpected<Error> no_file() { return fail(ErrorKind::invalid_handle, "no file is open"); }

}  // namespace

Result<bool> DeviceBackend::test(std::uint64_t) { return true; }

Status DeviceBackend::run(std::span<Transfer> batch) {
  const Result<std::uint64_t> ticket = submit(batch);
  if (!ticket) return tl::make_unexpected(ticket.error());
  return wait(*ticket);
}

Status Device::transfer(std::span<Transfer> batch) {
  if (!backend_) return no_file();
  return backend_->run(batch);
}

Result<std::int64_t> Device::read(std::int64_t offset, std::span<std::byte> into) {
  Transfer one{.kind = TransferKind::read,
               .offset = offset,
               .memory = into.data(),
               .bytes = static_cast<std::int64_t>(into.size())};
  if (Status moved = transfer({&one, 1}); !moved) return tl::make_unexpected(moved.error());
  return one.done;
}

Result<std::int64_t> Device::write(std::int64_t offset, std::span<const std::byte> from) {
  Transfer one{.kind = TransferKind::write,
               .offset = offset,
               .memory = const_cast<std::byte*>(from.data()),
               .bytes = static_cast<std::int64_t>(from.size())};
  if (Status moved = transfer({&one, 1}); !moved) return tl::make_unexpected(moved.error());
  return one.done;
}

Status Device::close() {
  if (!backend_) return {};
  return backend_->close();
}

Result<RangeLock> RangeLock::acquire(Device& device, Extent range, LockMode mode) {
  if (!device) return no_file();
  RangeLock held;
  DeviceBackend* backend = device.operator->();
  if (range.bytes == 0 || !backend->facts().has_locks) return held;
  if (Status granted = backend->lock(range, mode); !granted) {
    return tl::make_unexpected(granted.error());
  }
  held.backend_ = backend;
  held.range_ = range;
  return held;
}

RangeLock::RangeLock(RangeLock&& other) noexcept
    : backend_(std::exchange(other.backend_, nullptr)), range_(other.range_) {}

RangeLock& RangeLock::operator=(RangeLock&& other) noexcept {
  if (this != &other) {
    if (backend_ != nullptr) (void)backend_->unlock(range_);
    backend_ = std::exchange(other.backend_, nullptr);
    range_ = other.range_;
  }
  return *this;
}

RangeLock::~RangeLock() {
  if (backend_ != nullptr) (void)backend_->unlock(range_);
}

}  // namespace tutti
