// Reading: ranks fill slots from storage, whoever has time, and take their bytes out of them.
#include <algorithm>
#include <limits>

#include "base/wall_clock.hpp"
#include "exec/arena_run.hpp"
#include "exec/arena_steps.hpp"
#include "exec/window_access.hpp"
#include "pattern/copy.hpp"
#include "pattern/interleave.hpp"
#include "pattern/stream_copy.hpp"

namespace tutti {

namespace {

// Ranks pick runs of about a cache line and more out of the file's bytes themselves; shorter ones
// are sorted for them by whoever fills the slot, so that every line is touched once.
constexpr std::int64_t kPickedRunBytes = 48;

// What a rank reads goes past its caches from here on.
constexpr std::int64_t kStreamedBytes = 1 << 20;
constexpr std::int64_t kStreamedRunBytes = 1024;
// So much of the address space is taken at once.
constexpr std::int64_t kViewBytes = std::int64_t{1} << 30;
// So much of what was looked at stays mapped, in this process's memory.
constexpr std::int64_t kShownBytes = 2 << 20;
// Slots with less in them say nothing about how to fill one.
constexpr std::int64_t kMeasuredBytes = 16 << 10;

class ArenaRead : public ArenaSteps {
 public:
  explicit ArenaRead(RunningCall& call)
      : ArenaSteps(call),
        owners_(owners()),
        helps_(call.inspection().knows_all && !call.inspection().facts.layout.striped()),
        streams_(call.memory_is_direct(me_) && call.access.file.bytes >= kStreamedBytes),
        maps_(call.file.device->facts().maps_reads) {}

  // Collective. Only ranks that own a domain touch storage.
  std::optional<Error> run() {
    for (std::int64_t step = 0; step < steps_; ++step) {
      pending_ = owners_;
      while (!pending_.empty()) {
        if (take_what_is_there(step)) continue;
        if (owned() != nullptr && fill_one()) continue;
        wait_for(pending_.front().rank, count_of(step));
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

  // Fills the earliest slot that is free and that nobody has claimed, if there is one.
  bool fill_one() {
    const ArenaOwner* chosen = nullptr;
    StepCount earliest = free_steps();
    for (const ArenaOwner& owner : owners_) {
      if (!helps_ && owner.rank != me_) continue;
      const StepCount step = arena_.unclaimed(owner.rank, arena_.steps_so_far);
      if (!later_than(earliest, step)) continue;
      chosen = &owner;
      earliest = step;
    }
    if (chosen == nullptr) return false;
    if (!arena_.claim(chosen->rank, earliest)) return true;
    fill(*chosen, static_cast<std::int64_t>(earliest - arena_.steps_so_far));
    arena_.set_filled(chosen->rank, earliest);
    return true;
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

  // --- filling ---

  void fill(const ArenaOwner& owner, std::int64_t step) {
    std::int64_t* places = arena_.places(owner.rank, count_of(step));
    std::byte* data = arena_.data(owner.rank, count_of(step));
    std::fill_n(places, call_.file.ranks, std::int64_t{kNowhere});
    if (failure_) return;
    const Suits suits = what_suits(owner.window, step);
    QuickestWay& ways = suits == Suits::dealing ? arena_.dealt_way : arena_.window_way;
    const int open_ways = maps_ && suits != Suits::picking_only ? 4 : 2;
    const int way = ways.next(open_ways);
    streams_into_slot_ = (way & kPastCaches) != 0;
    maps_now_ = (way & kMapped) != 0;
    // Not measured: one view serves many slots.
    if (maps_now_) open_view(owner.window, step);
    const bool picking = suits != Suits::dealing && !maps_now_;
    const double began = thread_seconds();
    const std::int64_t filled = picking ? fill_window(owner.window, step, places, data)
                                        : deal_window(owner.window, step, places, data);
    if (filled >= kMeasuredBytes)
      ways.went(way, (thread_seconds() - began) / static_cast<double>(filled), open_ways);
    if (failure_) std::fill_n(places, call_.file.ranks, std::int64_t{kNowhere});
  }

  // How ranks get at the bytes of a step: somebody deals them out; or each picks its own from the
  // file's bytes, which needs most of it asked for, in runs that are not too short, and is the only
  // way where more is asked for than a slot holds.
  enum class Suits { dealing, picking, picking_only };
  Suits what_suits(const MovingWindow& window, std::int64_t step) const {
    std::int64_t asked = 0;
    std::int64_t there = 0;
    std::int64_t runs = 0;
    for_each_interval(window, step, [&](Extent interval, std::int64_t) {
      const Shares shares = shares_in(call_, interval);
      asked += shares.bytes;
      there += interval.bytes;
      for (const Share& share : shares.list) runs += share.bytes() / mean_run(*share.pattern) + 1;
    });
    if (runs == 0) return Suits::dealing;
    if (asked > call_.file.ranks * arena_.step_bytes() || asked >= 2 * there)
      return Suits::picking_only;
    return asked >= there / 2 && asked / runs >= kPickedRunBytes ? Suits::picking : Suits::dealing;
  }

  // Returns the bytes read.
  std::int64_t fill_window(const MovingWindow& window, std::int64_t step, std::int64_t* places,
                           std::byte* data) {
    std::int64_t read = 0;
    for_each_interval(window, step, [&](Extent interval, std::int64_t at) {
      const Shares shares = shares_in(call_, interval);
      if (shares.list.empty() || failure_) return;
      read_into(shares, data + at + (shares.span.offset - interval.offset));
      read += shares.span.bytes;
    });
    std::fill_n(places, call_.file.ranks, std::int64_t{kInWindow});
    return read;
  }

  void read_into(const Shares& shares, std::byte* slot) {
    if (!streams_into_slot_) return note(read_span(call_, shares, slot));
    const auto own = call_.state.windows[0].borrow(shares.span.bytes);
    if (!own.granted()) return note(no_window());
    note(read_span(call_, shares, own.data()));
    if (!failure_) copy_streaming(slot, own.data(), shares.span.bytes);
  }

  // Returns the bytes dealt out.
  std::int64_t deal_window(const MovingWindow& window, std::int64_t step, std::int64_t* places,
                           std::byte* data) {
    std::vector<std::byte*> next = lay_out(window, step, places, data);
    std::int64_t dealt = 0;
    for_each_chunk(window, step, [&](Extent chunk) {
      const Shares shares = shares_in(call_, chunk);
      if (shares.list.empty()) return;
      dealt += shares.bytes;
      if (shares.sparse) return read_sparse(shares, next);
      if (maps_now_ && deal_mapped(shares, next)) return;
      const auto own = call_.state.windows[0].borrow(shares.span.bytes);
      const auto sorted = room_for_sorting(shares);
      if (!own.granted() || !sorted.granted()) return note(no_window());
      note(read_span(call_, shares, own.data()));
      if (!failure_) deal_out(shares, own.data() - shares.span.offset, sorted.data(), next);
    });
    return dealt;
  }

  // Straight from the page cache; false where the system refuses to map it. No lease is taken while
  // it is looked at: see view_mapped().
  bool deal_mapped(const Shares& shares, std::vector<std::byte*>& next) {
    const auto sorted = room_for_sorting(shares);
    if (!sorted.granted()) return note(no_window()), true;
    const Extent span{shares.span.offset + call_.outlook.shift, shares.span.bytes};
    if (!view_.covers(span)) return false;
    note(view_.look(span, [&](const std::byte* mapped) {
      deal_out(shares, mapped - shares.span.offset, sorted.data(), next);
    }));
    ++call_.counters().device_operations;
    call_.counters().device_bytes += shares.span.bytes;
    return true;
  }

  // What the call accesses, as far as one view goes from the step on. Where the system refuses it,
  // nothing is mapped from now on.
  void open_view(const MovingWindow& window, std::int64_t step) {
    std::int64_t lower = std::numeric_limits<std::int64_t>::max();
    std::int64_t upper = 0;
    for_each_interval(window, step, [&](Extent interval, std::int64_t) {
      lower = std::min(lower, interval.offset + call_.outlook.shift);
      upper = std::max(upper, interval.end() + call_.outlook.shift);
    });
    const Extent all = accessed_range(call_.outlook.cards);
    lower = std::max(lower, all.offset);
    upper = std::min(upper, all.end());
    if (lower >= upper || (view_.covers({lower, upper - lower}) && view_.shown() < kShownBytes))
      return;
    const std::int64_t from = all.bytes <= kViewBytes ? all.offset : lower;
    auto opened = call_.file.device->view({from, std::min(kViewBytes, all.end() - from)});
    if (opened)
      view_ = std::move(*opened);
    else
      maps_ = maps_now_ = false;
  }

  void read_sparse(const Shares& shares, std::vector<std::byte*>& next) {
    for (const Share& share : shares.list) {
      std::byte*& to = next[static_cast<std::size_t>(share.origin)];
      note(read_pieces(call_, share, to));
      to += share.bytes();
    }
  }

  // Where bytes are sorted that go past the caches.
  Scratch::Lease room_for_sorting(const Shares& shares) {
    std::int64_t bytes = 1;
    for (const Share& share : shares.list)
      if (goes_past_caches(share) && !streams_runs(share)) bytes += share.bytes();
    return call_.state.windows[1].borrow(bytes);
  }

  void deal_out(const Shares& shares, const std::byte* window_base, std::byte* sorted,
                std::vector<std::byte*>& next) {
    sinks_.clear();
    for (const Share& share : shares.list) {
      std::byte*& to = next[static_cast<std::size_t>(share.origin)];
      if (streams_runs(share)) {
        pack_streaming(*share.pattern, window_base, share.begin, share.end, to);
        to += share.bytes();
        continue;
      }
      std::byte*& place = goes_past_caches(share) ? sorted : to;
      sinks_.push_back({share.pattern, share.begin, share.end, place});
      place += share.bytes();
    }
    pack_many(sinks_, window_base);
    auto packed = sinks_.begin();
    for (const Share& share : shares.list) {
      if (streams_runs(share)) continue;
      const std::byte* from = (packed++)->packed;
      if (!goes_past_caches(share)) continue;
      std::byte*& to = next[static_cast<std::size_t>(share.origin)];
      copy_streaming(to, from, share.bytes());
      to += share.bytes();
    }
  }

  // What goes straight to this rank's own memory, not to the slot, does so as what it takes.
  bool goes_past_caches(const Share& share) const {
    return share.origin == me_ && call_.memory_is_direct(me_) ? streams_ : streams_into_slot_;
  }
  // Long runs need no sorting first.
  bool streams_runs(const Share& share) const {
    return goes_past_caches(share) && mean_run(*share.pattern) >= kStreamedRunBytes;
  }

  static Status no_window() { return fail(ErrorKind::no_memory, "no memory for a window"); }

  // --- taking ---

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
      if (streams_)
        copy_streaming(call_.direct_memory() + range.begin, packed, range.bytes());
      else
        unpack(call_.access.memory.pattern, call_.access.memory.base, range.begin, range.end,
               packed);
      packed += range.bytes();
    });
  }

  // Stream offsets count from `window_base`.
  void pick(PackedRange range, const std::byte* window_base) {
    const OriginStream& mine = call_.origins()[static_cast<std::size_t>(me_)];
    const std::int64_t begin = range.begin - mine.packed_at + mine.first;
    const std::int64_t end = begin + range.bytes();
    if (streams_)
      return pack_streaming(mine.stream, window_base, begin, end,
                            call_.direct_memory() + range.begin);
    if (call_.memory_is_direct(me_))
      return pack(mine.stream, window_base, begin, end, call_.direct_memory() + range.begin);
    const auto lease = call_.state.slots.borrow(range.bytes());
    if (!lease.granted()) return note(no_window());
    pack(mine.stream, window_base, begin, end, lease.data());
    unpack(call_.access.memory.pattern, call_.access.memory.base, range.begin, range.end,
           lease.data());
  }

  const std::vector<ArenaOwner> owners_;
  // Owners fill each other's slots too, unless they lack descriptors for it or an I/O node should
  // hear from one rank only.
  const bool helps_;
  std::vector<ArenaOwner> pending_;  // whose slots of the present step this rank has not taken
  int slowest_ = 0;
  // Contiguous memory that is larger than the caches: what is read goes past them.
  const bool streams_;
  bool maps_;  // until the system refuses
  PageView view_;
  // How the present slot is filled.
  bool streams_into_slot_ = false;
  bool maps_now_ = false;
  std::vector<Sink> sinks_;
};

}  // namespace

std::optional<Error> read_by_arena(RunningCall& call) { return ArenaRead(call).run(); }

}  // namespace tutti
