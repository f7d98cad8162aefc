// Reusable buffers. One owner keeps one buffer and lends it out; a second borrower at the same time
// gets memory of its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <utility>

namespace tutti {

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};

// Page-aligned, not initialised. The single place where staging memory comes from. Null when
// refused.
using Buffer = std::unique_ptr<std::byte[], FreeMemory>;
inline Buffer allocate_buffer(std::int64_t bytes) {
  constexpr std::size_t kPage = 4096;
  const std::size_t rounded = (static_cast<std::size_t>(bytes) + kPage - 1) / kPage * kPage;
  return Buffer(static_cast<std::byte*>(std::aligned_alloc(kPage, rounded)));
}

class Scratch {
 public:
  class Lease {
   public:
    Lease(Scratch* from, Buffer own, std::span<std::byte> memory)
        : from_(from), own_(std::move(own)), memory_(memory) {}
    Lease(Lease&& other) noexcept
        : from_(std::exchange(other.from_, nullptr)),
          own_(std::move(other.own_)),
          memory_(other.memory_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (from_ != nullptr) from_->busy_.clear(std::memory_order_release);
    }
    std::byte* data() const { return memory_.data(); }
    std::int64_t bytes() const { return static_cast<std::int64_t>(memory_.size()); }
    bool granted() const { return memory_.data() != nullptr; }

   private:
    Scratch* from_;
    Buffer own_;
    std::span<std::byte> memory_;
  };

  // Whether somebody has the buffer.
  bool lent() const { return busy_.test(std::memory_order_acquire); }

  // Local. `bytes` bytes that stay valid as long as the lease; not granted when memory is short.
  Lease borrow(std::int64_t bytes) {
    const auto size = static_cast<std::size_t>(bytes);
    if (busy_.test_and_set(std::memory_order_acquire)) {
      Buffer own = allocate_buffer(bytes);
      std::byte* memory = own.get();
      return {nullptr, std::move(own), {memory, memory == nullptr ? 0 : size}};
    }
    if (held_ < bytes) {
      kept_ = allocate_buffer(bytes);
      held_ = kept_ ? bytes : 0;
    }
    std::byte* memory = kept_.get();
    return {this, nullptr, {memory, memory == nullptr ? 0 : size}};
  }

 private:
  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  Buffer kept_;
  std::int64_t held_ = 0;
};

}  // namespace tutti
