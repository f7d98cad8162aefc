// What every registered device must do: thousands of random batches leave what a plain vector has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "device/contract_subject.hpp"

namespace tutti {
namespace {

// A file kept twice: on the device and as a plain vector.
class Model {
 public:
  Model(Device device, std::uint64_t seed) : device_(std::move(device)), random_(seed) {}

  void step() {
    switch (draw(0, 11)) {
      case 0:
        resize(draw(0, kMaxBytes));
        break;
      case 1:
        preallocate(draw(0, kMaxBytes / 2));
        break;
      case 2:
        check_size();
        break;
      case 3:
      case 4:
      case 5:
        batch(true, false);
        break;
      case 6:
      case 7:
        batch(true, true);
        break;
      default:
        batch(false, true);
    }
  }

  void check_all() {
    std::vector<std::byte> found(expected_.size() + 10);
    ASSERT_EQ(device_.read(0, found), static_cast<std::int64_t>(expected_.size()));
    found.resize(expected_.size());
    ASSERT_TRUE(found == expected_);
  }

 private:
  static constexpr std::int64_t kMaxBytes = 60'000;

  std::int64_t draw(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  std::int64_t size() const { return static_cast<std::int64_t>(expected_.size()); }

  void resize(std::int64_t bytes) {
    ASSERT_TRUE(device_->resize(bytes).has_value());
    expected_.resize(static_cast<std::size_t>(bytes));
    check_size();
  }
  void preallocate(std::int64_t bytes) {
    ASSERT_TRUE(device_->preallocate(bytes).has_value());
    expected_.resize(static_cast<std::size_t>(std::max(bytes, size())));
    check_size();
  }
  void check_size() { ASSERT_EQ(device_->size(), size()); }

  // Disjoint ranges, some of them touching, in any order. Reads beside writes stay inside the file,
  // since a batch has no order in which it could grow.
  void batch(bool writes, bool reads) {
    std::vector<std::int64_t> cuts;
    const std::int64_t top = draw(1, kMaxBytes);
    for (std::int64_t count = draw(2, 60); count > 0; --count) cuts.push_back(draw(0, top));
    std::sort(cuts.begin(), cuts.end());
    std::vector<Transfer> transfers;
    for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (draw(0, 3) == 0) continue;
      const bool write = writes && (!reads || draw(0, 1) == 0);
      const std::int64_t end = writes && !write ? std::min(cuts[i + 1], size()) : cuts[i + 1];
      if (end < cuts[i]) continue;
      transfers.push_back({.kind = write ? TransferKind::write : TransferKind::read,
                           .offset = cuts[i],
                           .bytes = end - cuts[i],
                           .done = 77});
    }
    if (draw(0, 1) == 0) std::shuffle(transfers.begin(), transfers.end(), random_);
    run(transfers);
  }

  void run(std::vector<Transfer>& transfers) {
    std::vector<std::vector<std::byte>> memory;
    for (Transfer& transfer : transfers) {
      memory.push_back(random_bytes(random_, static_cast<std::size_t>(transfer.bytes)));
      transfer.memory = memory.back().data();
    }
    const auto before = memory;
    if (draw(0, 1) == 0) {
      const Status moved = device_.transfer(transfers);
      ASSERT_TRUE(moved.has_value()) << moved.error().message;
    } else {
      const auto ticket = device_->submit(transfers);
      ASSERT_TRUE(ticket.has_value()) << ticket.error().message;
      if (draw(0, 1) == 0) {
        while (!device_->test(*ticket).value()) std::this_thread::yield();
      }
      const Status moved = device_->wait(*ticket);
      ASSERT_TRUE(moved.has_value()) << moved.error().message;
    }
    const std::int64_t size_before = size();
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      const Transfer& transfer = transfers[i];
      const std::int64_t end = transfer.offset + transfer.bytes;
      if (transfer.kind == TransferKind::write) {
        ASSERT_EQ(transfer.done, transfer.bytes);
        if (transfer.bytes > 0 && size() < end) expected_.resize(static_cast<std::size_t>(end));
        std::copy(memory[i].begin(), memory[i].end(), expected_.begin() + transfer.offset);
        continue;
      }
      const std::int64_t there =
          std::clamp<std::int64_t>(size_before - transfer.offset, 0, transfer.bytes);
      ASSERT_EQ(transfer.done, there)
          << "reading " << transfer.bytes << " at " << transfer.offset << " of " << size_before;
      if (there > 0) {
        ASSERT_EQ(std::memcmp(memory[i].data(), expected_.data() + transfer.offset,
                              static_cast<std::size_t>(there)),
                  0);
      }
      ASSERT_TRUE(std::equal(memory[i].begin() + there, memory[i].end(), before[i].begin() + there))
          << "memory behind the end of the file changed";
    }
  }

  Device device_;
  std::mt19937_64 random_;
  std::vector<std::byte> expected_;
};

class DeviceModel : public DeviceContract {};

TEST_P(DeviceModel, RandomBatchesMatchAModel) {
  const std::uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Model model(create(), seed);
  for (int step = 0; step < 2000 && !HasFailure(); ++step) model.step();
  model.check_all();
}

INSTANTIATE_TEST_SUITE_P(Every, DeviceModel, testing::ValuesIn(all_devices()), device_test_name);

}  // namespace
}  // namespace tutti
