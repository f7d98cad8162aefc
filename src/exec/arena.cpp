#include "exec/arena.hpp"

#include <algorithm>
#include <thread>

namespace tutti {

namespace {

constexpr std::int64_t kPage = 4096;
// Turns given up before sleeping. In a virtual machine a core that sleeps is not found again by the
// scheduler, and ranks end up on one core; ranks that never sleep look busy and stay there.
constexpr int kSpins = 200;
// All slabs of a step together, so that what an owner wrote is still in cache when it is taken.
constexpr std::int64_t kAllSlabsBytes = 8 << 20;
constexpr std::int64_t kLeastStepBytes = 64 << 10;
constexpr std::int64_t kMostStepBytes = 512 << 10;

}  // namespace

Result<Arena> Arena::create(MPI_Comm comm, int ranks) {
  Arena arena;
  arena.step_bytes_ =
      std::clamp(kAllSlabsBytes / ranks / kPage * kPage, kLeastStepBytes, kMostStepBytes);
  arena.places_bytes_ = (ranks * std::int64_t{sizeof(std::int64_t)} + kPage - 1) / kPage * kPage;
  arena.half_bytes_ = arena.places_bytes_ + ranks * arena.step_bytes_;
  arena.words_bytes_ = (ranks * kLine + kPage - 1) / kPage * kPage;
  auto memory = SharedMemory::create(
      comm, static_cast<std::size_t>(arena.words_bytes_ + 2 * ranks * arena.half_bytes_));
  if (!memory) return tl::make_unexpected(memory.error());
  arena.memory_ = std::move(*memory);
  return arena;
}

void Arena::advance(int rank, Progress what, std::uint32_t count) {
  Word& mine = word(rank, what);
  mine.count.store(count);
  if (mine.sleepers.load() > 0) wake_all(mine.count);
}

void Arena::wait_for(int rank, Progress what, std::uint32_t count) {
  Word& other = word(rank, what);
  const auto arrived = [&](std::uint32_t now) {
    return static_cast<std::int32_t>(now - count) >= 0;
  };
  for (int i = 0; i < kSpins; ++i) {
    if (arrived(other.count.load())) return;
    std::this_thread::yield();
  }
  ++other.sleepers;
  for (std::uint32_t now = other.count.load(); !arrived(now); now = other.count.load())
    sleep_on(other.count, now, while_waiting_ != nullptr && while_waiting_());
  --other.sleepers;
}

}  // namespace tutti
