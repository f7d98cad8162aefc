// Storage access that goes on while its caller does something else: two transfers at a time, on the
// device's own asynchronous path where it has one, otherwise on a helper thread that makes system
// calls only.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>

#include "base/result.hpp"
#include "device/device.hpp"

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

  // Local. Blocks until the slot is idle and returns what was moved; nothing for an idle slot.
  Result<std::int64_t> finish(int slot);

 private:
  enum class Stage : std::uint8_t { idle, queued, done };
  struct Slot {
    Stage stage = Stage::idle;
    Transfer transfer;
    Status outcome;
    std::optional<std::uint64_t> ticket;
  };

  void work();

  Device& device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Slot, kSlots> slots_;
  bool ending_ = false;
  std::thread helper_;  // started by the first transfer that needs it
};

}  // namespace tutti
