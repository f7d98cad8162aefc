#include "exec/arena.hpp"

#include <algorithm>

namespace tutti {

namespace {

constexpr std::int64_t kPage = 4096;
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
  auto memory = SharedMemory::create(comm, 2 * static_cast<std::size_t>(ranks * arena.half_bytes_));
  if (!memory) return tl::make_unexpected(memory.error());
  arena.memory_ = std::move(*memory);
  return arena;
}

}  // namespace tutti
