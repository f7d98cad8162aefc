// Filling a slot of the arena from storage: with the file's bytes as they are, or sorted for every
// rank, read or straight from the page cache.
#pragma once

#include <algorithm>
#include <vector>

#include "base/wall_clock.hpp"
#include "exec/arena_steps.hpp"
#include "exec/own_pieces.hpp"
#include "exec/window_access.hpp"
#include "pattern/interleave.hpp"
#include "pattern/stream_copy.hpp"

namespace tutti {

// Ranks pick runs of about a cache line and more out of the file's bytes themselves; shorter ones
// are sorted for them by whoever fills the slot, so that every line is touched once.
constexpr std::int64_t kPickedRunBytes = 48;

// Runs from here on go past the caches one by one.
constexpr std::int64_t kStreamedRunBytes = 1024;
// Slots with less in them say nothing about how to fill one.
constexpr std::int64_t kMeasuredBytes = 16 << 10;

class ArenaFill : public ArenaSteps {
 public:
  explicit ArenaFill(RunningCall& call)
      : ArenaSteps(call),
        streams_(streams_own(call)),
        maps_(call.file.device->facts().maps_reads),
        range_(accessed_range(call.outlook.cards)) {}

 protected:
  // Local. Fills the slot of `step`, which this rank has claimed; a failure leaves nothing in it.
  void fill(const ArenaOwner& owner, std::int64_t step) {
    std::int64_t* places = arena_.places(owner.rank, count_of(step));
    std::byte* data = arena_.data(owner.rank, count_of(step));
    std::fill_n(places, call_.file.ranks, std::int64_t{kNowhere});
    if (failure_) return;
    const Suits suits = what_suits(owner.window, step);
    Arena::Ways& known = pages_.of_kind(arena_.ways);
    QuickestWay& ways = suits == Suits::dealing ? known.dealt : known.window;
    const int open_ways = maps_ && suits != Suits::picking_only ? 4 : 2;
    const int way = ways.next(open_ways);
    streams_into_slot_ = (way & kPastCaches) != 0;
    maps_now_ = (way & kMapped) != 0;
    // What serves later is not measured: a call's first view, and pages that are kept.
    if (maps_now_ && (pages_.keeps() || pages_.empty())) see_step(owner.window, step);
    const double began = thread_seconds();
    if (maps_now_) see_step(owner.window, step);
    const bool picking = suits != Suits::dealing && !maps_now_;
    const std::int64_t filled = picking ? fill_window(owner.window, step, places, data)
                                        : deal_window(owner.window, step, places, data);
    if (filled >= kMeasuredBytes)
      ways.went(maps_now_ ? way : way & ~kMapped,
                (thread_seconds() - began) / static_cast<double>(filled), open_ways);
    if (failure_) std::fill_n(places, call_.file.ranks, std::int64_t{kNowhere});
  }

  static Status no_window() { return fail(ErrorKind::no_memory, "no memory for a window"); }

 private:
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
    if (!pages_.view().covers(span)) return false;
    note(pages_.view().look(span, [&](const std::byte* mapped) {
      deal_out(shares, mapped - shares.span.offset, sorted.data(), next);
    }));
    ++call_.counters().device_operations;
    call_.counters().device_bytes += shares.span.bytes;
    return true;
  }

  // What the step accesses. Where the system refuses it, nothing is mapped from now on.
  void see_step(const MovingWindow& window, std::int64_t step) {
    std::int64_t lower = range_.end();
    std::int64_t upper = range_.offset;
    for_each_interval(window, step, [&](Extent interval, std::int64_t) {
      lower = std::min(lower, interval.offset + call_.outlook.shift);
      upper = std::max(upper, interval.end() + call_.outlook.shift);
    });
    lower = std::max(lower, range_.offset);
    upper = std::min(upper, range_.end());
    if (lower < upper && !pages_.see(call_.file.device, {lower, upper - lower}))
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

  const bool streams_;  // what this rank reads goes past its caches
  bool maps_;           // until the system refuses
  SeenPages& pages_ = call_.state.pages;
  const Extent range_;  // of the file, that the call accesses
  // How the present slot is filled.
  bool streams_into_slot_ = false;
  bool maps_now_ = false;
  std::vector<Sink> sinks_;
};

}  // namespace tutti
