// One collective call while it runs: shared by the executors.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/counters.hpp"
#include "exec/collective_state.hpp"
#include "exec/open_file.hpp"
#include "exec/ranks_talk.hpp"
#include "inspect/inspector.hpp"
#include "request/access.hpp"

namespace tutti {

struct RunningCall {
  OpenFile& file;
  CollectiveState& state;
  const Access& access;
  const Outlook& outlook;
  RanksTalk& talk;
  // Reads: no byte at or beyond this offset exists, in the inspection's coordinates.
  std::int64_t end_of_file = 0;
  std::int64_t spans_written = 0;  // by this rank, as an owner

  const Inspection& inspection() const { return *outlook.inspection; }
  const Plan& plan() const { return outlook.inspection->plan; }
  const std::vector<OriginStream>& origins() const { return outlook.inspection->origins; }
  Counters& counters() const { return file.counters; }
  bool reading() const { return access.direction == Direction::read; }
  bool memory_is_direct(int rank) const {
    return outlook.cards[static_cast<std::size_t>(rank)].direct != 0;
  }
  // This rank's packed byte k, where memory is contiguous.
  std::byte* direct_memory() const { return access.memory.base + access.memory.pattern.first(); }

  // The bytes of `origin` inside `interval` that exist.
  PackedRange range_of(int origin, Extent interval) const {
    if (reading() && interval.end() > end_of_file) interval.bytes = end_of_file - interval.offset;
    return packed_range(origins()[static_cast<std::size_t>(origin)], interval);
  }

  // How many of this rank's bytes exist.
  std::int64_t bytes_present() const {
    if (!reading()) return access.file.bytes;
    return range_of(file.rank, {0, std::numeric_limits<std::int64_t>::max()}).bytes();
  }
};

// Local. Every file interval of `moving` in `round`, visit(Extent); empty ones are left out.
template <class Visit>
void for_each_owned(const MovingWindow& moving, std::int64_t round, const Visit& visit) {
  for_each_interval(moving, round, [&](Extent interval) {
    visit(interval);
    return true;
  });
}

}  // namespace tutti
