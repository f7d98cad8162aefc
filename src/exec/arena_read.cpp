// Reading: ranks fill slots from storage, whoever has time, and take their bytes out of them.
#include <algorithm>
#include <thread>

#include "exec/arena_fill.hpp"
#include "exec/arena_run.hpp"
#include "exec/own_pieces.hpp"

namespace tutti {

namespace {

// Turns given up before filling a slot of somebody else: he may only wait for a core. Whoever
// always fills the same part of the file has its pages in view soon.
constexpr int kTurnsBeforeHelp = 32;

class ArenaRead : public ArenaFill {
 public:
  explicit ArenaRead(RunningCall& call)
      : ArenaFill(call),
        owners_(owners()),
        helps_(call.inspection().knows_all && !call.inspection().facts.layout.striped()) {}

  // Collective. Only ranks that own a domain touch storage.
  std::optional<Error> run() {
    for (std::int64_t step = 0; step < steps_; ++step) {
      pending_ = owners_;
      int turns = 0;
      while (!pending_.empty()) {
        if (take_what_is_there(step) || fill_own()) {
          turns = 0;
        } else if (turns < most_turns_) {
          std::this_thread::yield();
          ++turns;
        } else if (!fill_any()) {
          wait_for(pending_.front().rank, count_of(step));
        }
      }
      arena_.set_done(me_, count_of(step + 1));
    }
    arena_.steps_so_far = count_of(steps_);
    if (owned() == nullptr) arena_.skip_claims(me_, arena_.steps_so_far);
    return failure_;
  }

 private:
  bool take_what_is_there(std::int64_t step) {
    const std::size_t before = pending_.size();
    std::erase_if(pending_, [&](const ArenaOwner& owner) {
      if (!arena_.is_filled(owner.rank, count_of(step))) return false;
      take(owner, step);
      return true;
    });
    return pending_.size() < before;
  }

  // Fills the next slot of this rank's own domain that nobody has claimed; false if none is free.
  bool fill_own() {
    if (owned() == nullptr) return false;
    const StepCount step = arena_.unclaimed(me_, arena_.steps_so_far);
    if (!later_than(count_of(steps_), step) || !later_than(free_steps(), step)) return false;
    try_to_fill(owners_.front(), step);
    return true;
  }

  // Fills the earliest slot that is free and that nobody has claimed; false if there is none.
  bool fill_any() {
    if (owned() == nullptr || !helps_) return false;
    const ArenaOwner* chosen = nullptr;
    StepCount earliest = free_steps();
    for (const ArenaOwner& owner : owners_) {
      const StepCount step = arena_.unclaimed(owner.rank, arena_.steps_so_far);
      if (!later_than(earliest, step)) continue;
      chosen = &owner;
      earliest = step;
    }
    if (chosen == nullptr) return false;
    try_to_fill(*chosen, earliest);
    return true;
  }

  // Fills a free slot; does nothing where somebody else has claimed it meanwhile.
  void try_to_fill(const ArenaOwner& owner, StepCount step) {
    if (!arena_.claim(owner.rank, step)) return;
    fill(owner, static_cast<std::int64_t>(step - arena_.steps_so_far));
    arena_.set_filled(owner.rank, step);
  }

  // Steps of this call before which all slots may be filled.
  StepCount free_steps() {
    const StepCount end = count_of(steps_);
    StepCount least = end - arena_.slots();
    for (int r = 0; r < call_.file.ranks; ++r) {
      const StepCount done = arena_.done(r);
      if (!later_than(least, done)) continue;
      least = done;
      slowest_ = r;
    }
    return least + arena_.slots();
  }

  void wait_for(int owner, StepCount step) {
    const bool claimed = later_than(arena_.unclaimed(owner, arena_.steps_so_far), step);
    const bool others_do_it = owned() == nullptr || (!helps_ && owner != me_);
    if (claimed || others_do_it) return arena_.wait_filled(owner, step);
    if (later_than(step + 1, free_steps())) arena_.wait_done(slowest_, step + 1 - arena_.slots());
  }

  void take(const ArenaOwner& owner, std::int64_t step) {
    const std::int64_t place = arena_.places(owner.rank, count_of(step))[me_];
    if (place == kNowhere) return;
    const std::byte* data = arena_.data(owner.rank, count_of(step));
    const std::byte* packed = data + std::max<std::int64_t>(place, 0);
    for_each_interval(owner.window, step, [&](Extent interval, std::int64_t at) {
      const PackedRange range = call_.range_of(me_, interval);
      if (range.bytes() <= 0) return;
      if (owner.rank != me_) call_.counters().bytes_pulled += range.bytes();
      if (place == kInWindow) return pick(range, data + at - interval.offset);
      deliver_own(call_, range, packed);
      packed += range.bytes();
    });
  }

  // Stream offsets count from `window_base`.
  void pick(PackedRange range, const std::byte* window_base) {
    const auto room = call_.state.slots.borrow(call_.memory_is_direct(me_) ? 1 : range.bytes());
    if (!room.granted()) return note(no_window());
    pick_own(call_, range, window_base, room.data());
  }

  const std::vector<ArenaOwner> owners_;
  // Owners fill each other's slots too, unless they lack descriptors for it or an I/O node should
  // hear from one rank only.
  const bool helps_;
  const int most_turns_ =
      helps_ && owned() != nullptr ? std::min(kTurnsBeforeHelp, turns_before_sleep()) : 0;
  std::vector<ArenaOwner> pending_;  // whose slots of the present step this rank has not taken
  int slowest_ = 0;
};

}  // namespace

std::optional<Error> read_by_arena(RunningCall& call) { return ArenaRead(call).run(); }

}  // namespace tutti
