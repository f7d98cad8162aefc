// What reading and writing through the arena have in common: which file intervals belong to a step,
// and where the bytes of every rank lie in a slot.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "exec/arena.hpp"
#include "exec/round_access.hpp"

namespace tutti {

// What is moved from or to storage and sorted at a time stays in the second-level cache.
constexpr std::int64_t kChunkBytes = 256 << 10;

struct ArenaOwner {
  int rank;
  MovingWindow window;
};

class ArenaSteps {
 public:
  explicit ArenaSteps(RunningCall& call)
      : call_(call),
        arena_(call.state.arena),
        me_(call.file.rank),
        steps_per_round_((call.plan().window_bytes + arena_.step_bytes() - 1) /
                         arena_.step_bytes()),
        steps_(call.plan().rounds * steps_per_round_) {}

 protected:
  void note(const Status& done) {
    if (!done && !failure_) failure_ = done.error();
  }

  const MovingWindow* owned() const {
    return call_.plan().owned.empty() ? nullptr : &call_.plan().owned[0];
  }

  // Whose domains this rank has to do with, itself first: not everybody begins at the same slot.
  std::vector<ArenaOwner> owners() const {
    std::vector<ArenaOwner> list;
    if (owned() != nullptr) list.push_back({me_, *owned()});
    if (call_.plan().phases.empty()) return list;
    const auto& ships = call_.plan().phases[0].ships;
    const auto after = std::partition_point(ships.begin(), ships.end(),
                                            [&](const Piece& piece) { return piece.peer < me_; });
    for (auto it = after; it != ships.end(); ++it) list.push_back({it->peer, it->window});
    for (auto it = ships.begin(); it != after; ++it) list.push_back({it->peer, it->window});
    return list;
  }

  StepCount count_of(std::int64_t step) const {
    return arena_.steps_so_far + static_cast<StepCount>(step);
  }

  // The intervals of `window` in one step: the round's units, end to end, cut every step_bytes().
  // visit(interval, how many bytes of the step come before it).
  template <class Visit>
  void for_each_interval(const MovingWindow& window, std::int64_t step, const Visit& visit) const {
    const Extent part{step % steps_per_round_ * arena_.step_bytes(), arena_.step_bytes()};
    std::int64_t at = 0;
    for_each_owned(window, step / steps_per_round_, [&](Extent unit) {
      const std::int64_t begin = std::max(part.offset, at);
      const std::int64_t end = std::min(part.end(), at + unit.bytes);
      if (begin < end) visit(Extent{unit.offset + begin - at, end - begin}, begin - part.offset);
      at += unit.bytes;
    });
  }

  // The same in parts of at most kChunkBytes, visit(chunk), until something has failed.
  template <class Visit>
  void for_each_chunk(const MovingWindow& window, std::int64_t step, const Visit& visit) const {
    for_each_interval(window, step, [&](Extent interval, std::int64_t) {
      for (std::int64_t at = interval.offset; at < interval.end() && !failure_; at += kChunkBytes)
        visit(Extent{at, std::min(kChunkBytes, interval.end() - at)});
    });
  }

  // Where the next byte of every rank goes in a slot; this rank's own bytes need no slot where its
  // memory is contiguous.
  std::vector<std::byte*> lay_out(const MovingWindow& window, std::int64_t step,
                                  std::int64_t* places, std::byte* data) const {
    std::vector<std::byte*> next(static_cast<std::size_t>(call_.file.ranks), nullptr);
    std::int64_t total = 0;
    for (int r = 0; r < call_.file.ranks; ++r) {
      std::int64_t bytes = 0;
      std::int64_t first = 0;
      for_each_interval(window, step, [&](Extent interval, std::int64_t) {
        const PackedRange range = call_.range_of(r, interval);
        if (range.bytes() <= 0) return;
        if (bytes == 0) first = range.begin;
        bytes += range.bytes();
      });
      if (bytes == 0) continue;
      if (r == me_ && call_.memory_is_direct(me_)) {
        next[static_cast<std::size_t>(r)] = call_.direct_memory() + first;
        continue;
      }
      places[r] = total;
      next[static_cast<std::size_t>(r)] = data + total;
      total += bytes;
    }
    return next;
  }

  RunningCall& call_;
  Arena& arena_;
  const int me_;
  const std::int64_t steps_per_round_;
  const std::int64_t steps_;
  std::optional<Error> failure_;
};

}  // namespace tutti
