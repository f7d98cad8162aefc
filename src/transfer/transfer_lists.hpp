// Requests that go to a device in lists of bounded length, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "device/device.hpp"

namespace tutti {

class TransferLists {
 public:
  TransferLists() = default;
  // At most `segments` requests in a list.
  explicit TransferLists(std::int64_t segments) : segments_(static_cast<std::size_t>(segments)) {}

  // Adds to the last list, or begins a new one where that is full or `apart` is set.
  void add(const Transfer& transfer, bool apart = false) {
    const std::size_t begun = ends_.size() < 2 ? 0 : ends_[ends_.size() - 2];
    if (ends_.empty() || apart || ends_.back() - begun >= segments_) ends_.push_back(all_.size());
    all_.push_back(transfer);
    ends_.back() = all_.size();
  }

  // Visits list after list until visit(std::span<Transfer>) -> Status fails.
  template <class Visit>
  Status for_each(Visit&& visit) {
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      if (Status done = visit(std::span(all_).subspan(begin, end - begin)); !done) return done;
      begin = end;
    }
    return {};
  }

  // Local: all lists, in order.
  Status run(Device& device) {
    return for_each([&](std::span<Transfer> list) { return device.transfer(list); });
  }

  std::span<Transfer> all() { return all_; }
  std::int64_t lists() const { return std::ssize(ends_); }
  std::int64_t bytes() const {
    std::int64_t bytes = 0;
    for (const Transfer& transfer : all_) bytes += transfer.bytes;
    return bytes;
  }
  std::int64_t done() const {
    std::int64_t bytes = 0;
    for (const Transfer& transfer : all_) bytes += transfer.done;
    return bytes;
  }

 private:
  std::size_t segments_ = 1;
  std::vector<Transfer> all_;
  std::vector<std::size_t> ends_;  // where each list ends
};

}  // namespace tutti
