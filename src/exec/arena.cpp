#include "exec/arena.hpp"

#include <algorithm>
#include <bit>

namespace tutti {

namespace {

constexpr std::int64_t kPage = 4096;
// All slots together, so that what was filled in is still in cache when it is taken.
constexpr std::int64_t kAllSlotsBytes = 8 << 20;
constexpr std::int64_t kLeastStepBytes = 64 << 10;
constexpr std::int64_t kMostStepBytes = 256 << 10;
constexpr std::int64_t kLeastSlots = 2;

std::int64_t whole_pages(std::int64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

Result<Arena> Arena::create(MPI_Comm comm, int ranks) {
  Arena arena;
  arena.step_bytes_ = std::clamp(kAllSlotsBytes / ranks / kLeastSlots / kPage * kPage,
                                 kLeastStepBytes, kMostStepBytes);
  arena.slots_ = std::bit_floor(
      static_cast<StepCount>(std::max(kAllSlotsBytes / ranks / arena.step_bytes_, kLeastSlots)));
  arena.header_bytes_ = whole_pages(kLine + ranks * std::int64_t{sizeof(std::int64_t)});
  arena.slot_bytes_ = arena.header_bytes_ + ranks * arena.step_bytes_;
  arena.lines_bytes_ = whole_pages(ranks * kLine);
  auto memory = SharedMemory::create(
      comm, static_cast<std::size_t>(arena.lines_bytes_ +
                                     ranks * std::int64_t{arena.slots_} * arena.slot_bytes_));
  if (!memory) return tl::make_unexpected(memory.error());
  arena.memory_ = std::move(*memory);
  return arena;
}

StepCount Arena::unclaimed(int owner, StepCount first) const {
  const StepCount next = line(owner).next_claim.load();
  return later_than(first, next) ? first : next;
}

bool Arena::claim(int owner, StepCount step) {
  std::atomic<StepCount>& next = line(owner).next_claim;
  StepCount now = next.load();
  while (!later_than(now, step))
    if (next.compare_exchange_weak(now, step + 1)) return true;
  return false;
}

void Arena::wait_filled(int owner, StepCount step) {
  filled(owner, step).wait_until([step](StepCount now) { return now == step + 1; }, while_waiting_);
}

void Arena::wait_done(int rank, StepCount count) {
  line(rank).done.wait_until([count](StepCount now) { return !later_than(count, now); },
                             while_waiting_);
}

}  // namespace tutti
