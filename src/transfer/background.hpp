// Storage access that goes on while its caller does something else: two transfers at a time, on the
// device's own asynchronous path where it has one, otherwise on a helper thread that makes system
// calls only. Transfers reach the device in the order in which they were started.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "device/device.hpp"
#include "transfer/transfer_lists.hpp"

namespace tutti {

class Background {
 public:
  static constexpr int kSlots = 2;

  explicit Background(Device& device) : device_(device) {}
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  // Waits for what is under way; its outcome is lost.
  ~Background();

  // Local. Starts `transfer` in `slot`; its memory stays valid until finish(slot).
  // REQUIRES: the slot is idle.
  void start(int slot, const Transfer& transfer);
  // The same for lists of requests, which are issued in order.
  void start(int slot, TransferLists lists);

  // Local. Blocks until the slot is idle and returns what was moved; nothing for an idle slot.
  Result<std::int64_t> finish(int slot);

 private:
  enum class Stage : std::uint8_t { idle, queued, done };
  struct Slot {
    Stage stage = Stage::idle;
    std::uint64_t turn = 0;  // what was queued first is done first
    TransferLists lists;
    Status outcome;
    std::vector<std::uint64_t> tickets;
  };

  void work();
  bool is_busy();
  Slot* next_queued();  // the mutex is held

  Device& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Slot, kSlots> slots_;
  std::uint64_t turns_ = 0;
  bool ending_ = false;
  std::thread helper_;  // started by the first transfer that needs it
};

}  // namespace tutti
