#include "transfer/background.hpp"

#include <utility>

#include "base/helper_thread.hpp"

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
  TransferLists one(1);
  one.add(transfer);
  start(slot, std::move(one));
}

void Background::start(int slot, TransferLists lists) {
  Slot& used = slots_[static_cast<std::size_t>(slot)];
  used.lists = std::move(lists);
  used.tickets.clear();
  used.outcome = {};
  if (device_->facts().asynchronous) {
    used.outcome = used.lists.for_each([&](std::span<Transfer> list) -> Status {
      auto ticket = device_->submit(list);
      if (!ticket) return tl::make_unexpected(ticket.error());
      used.tickets.push_back(*ticket);
      return {};
    });
    const std::lock_guard lock(mutex_);
    used.stage = Stage::done;
    return;
  }
  const bool worth_it = used.lists.bytes() >= kHelperBytes || is_busy();
  if (worth_it && !helper_.joinable())
    if (auto started = start_helper_thread([this] { work(); })) helper_ = std::move(*started);
  if (!worth_it || !helper_.joinable()) {
    used.outcome = used.lists.run(device_);
    const std::lock_guard lock(mutex_);
    used.stage = Stage::done;
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    used.stage = Stage::queued;
    used.turn = ++turns_;
  }
  changed_.notify_all();
}

Result<std::int64_t> Background::finish(int slot) {
  Slot& used = slots_[static_cast<std::size_t>(slot)];
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return used.stage != Stage::queued; });
  if (std::exchange(used.stage, Stage::idle) == Stage::idle) return 0;
  lock.unlock();
  for (const std::uint64_t ticket : used.tickets)
    if (Status done = device_->wait(ticket); !done && used.outcome) used.outcome = done;
  if (!used.outcome) return tl::make_unexpected(used.outcome.error());
  return used.lists.done();
}

bool Background::is_busy() {
  const std::lock_guard lock(mutex_);
  return next_queued() != nullptr;
}

Background::Slot* Background::next_queued() {
  Slot* next = nullptr;
  for (Slot& slot : slots_)
    if (slot.stage == Stage::queued && (next == nullptr || slot.turn < next->turn)) next = &slot;
  return next;
}

void Background::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ending_ || next_queued() != nullptr; });
    if (next_queued() == nullptr) return;
    Slot& slot = *next_queued();
    lock.unlock();
    Status outcome = slot.lists.run(device_);
    lock.lock();
    slot.outcome = std::move(outcome);
    slot.stage = Stage::done;
    changed_.notify_all();
  }
}

}  // namespace tutti
