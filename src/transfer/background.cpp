#include "transfer/background.hpp"

#include <algorithm>
#include <utility>

namespace tutti {

namespace {
// Shorter transfers are over before a helper would have woken up.
constexpr std::int64_t kHelperBytes = 256 << 10;
}  // namespace

Background::~Background() {
  for (int slot = 0; slot < kSlots; ++slot) (void)finish(slot);
  if (!helper_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  helper_.join();
}

void Background::start(int slot, const Transfer& transfer) {
  Slot& used = slots_[static_cast<std::size_t>(slot)];
  used.transfer = transfer;
  used.ticket.reset();
  used.outcome = {};
  if (device_->facts().asynchronous) {
    auto ticket = device_->submit({&used.transfer, 1});
    if (ticket)
      used.ticket = *ticket;
    else
      used.outcome = tl::make_unexpected(ticket.error());
    used.stage = Stage::done;
    return;
  }
  if (transfer.bytes < kHelperBytes) {
    used.outcome = device_.transfer({&used.transfer, 1});
    used.stage = Stage::done;
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    used.stage = Stage::queued;
  }
  if (!helper_.joinable()) helper_ = std::thread([this] { work(); });
  changed_.notify_all();
}

Result<std::int64_t> Background::finish(int slot) {
  Slot& used = slots_[static_cast<std::size_t>(slot)];
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return used.stage != Stage::queued; });
  if (std::exchange(used.stage, Stage::idle) == Stage::idle) return 0;
  lock.unlock();
  if (used.ticket) used.outcome = device_->wait(*used.ticket);
  if (!used.outcome) return tl::make_unexpected(used.outcome.error());
  return used.transfer.done;
}

void Background::work() {
  std::unique_lock lock(mutex_);
  const auto next = [&] {
    return std::find_if(slots_.begin(), slots_.end(),
                        [](const Slot& slot) { return slot.stage == Stage::queued; });
  };
  while (true) {
    changed_.wait(lock, [&] { return ending_ || next() != slots_.end(); });
    if (next() == slots_.end()) return;
    Slot& slot = *next();
    lock.unlock();
    Status outcome = device_.transfer({&slot.transfer, 1});
    lock.lock();
    slot.outcome = std::move(outcome);
    slot.stage = Stage::done;
    changed_.notify_all();
  }
}

}  // namespace tutti
