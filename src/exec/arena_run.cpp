#include "exec/arena_run.hpp"

#include <algorithm>
#include <numeric>

#include "exec/arena.hpp"
#include "exec/window_access.hpp"
#include "pattern/copy.hpp"
#include "pattern/interleave.hpp"
#include "pattern/stream_copy.hpp"

namespace tutti {

namespace {

// Where at most this many ranks share a cache line of the file they pick their bytes out of it
// themselves; where more do, the owner sorts the bytes for them.
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kPickingRanks = 4;
// What is read from storage and dealt out at a time stays in the second-level cache.
constexpr std::int64_t kChunkBytes = 256 << 10;

// What a rank reads goes past its caches from here on.
constexpr std::int64_t kStreamedBytes = 1 << 20;

class ArenaRun {
 public:
  explicit ArenaRun(RunningCall& call)
      : call_(call),
        arena_(call.state.arena),
        me_(call.file.rank),
        streams_(call.memory_is_direct(me_) && call.access.file.bytes >= kStreamedBytes),
        steps_per_round_((call.plan().window_bytes + arena_.step_bytes() - 1) /
                         arena_.step_bytes()),
        steps_(call.plan().rounds * steps_per_round_) {}

  std::optional<Error> run() {
    if (call_.reading())
      read();
    else
      write();
    return failure_;
  }

 private:
  // Collective. Owners are a step ahead, so that nobody waits for the slowest in every step.
  void read() {
    if (owned() != nullptr && steps_ > 0) fill_when_free(0);
    for (std::int64_t step = 0; step < steps_; ++step) {
      if (owned() != nullptr && step + 1 < steps_) fill_when_free(step + 1);
      for_each_owner([&](int owner, const MovingWindow& window) {
        arena_.wait_for(owner, Arena::kFilled, after(step));
        take(owner, window, step);
      });
      arena_.advance(me_, Arena::kDone, after(step));
    }
    arena_.steps_so_far = after(steps_ - 1);
  }

  // The half was used two steps ago, at the end of the call before if this one is young.
  void fill_when_free(std::int64_t step) {
    for (int r = 0; r < call_.file.ranks; ++r) arena_.wait_for(r, Arena::kDone, after(step - 2));
    fill(step);
    arena_.advance(me_, Arena::kFilled, after(step));
  }

  std::uint32_t after(std::int64_t step) const {
    return arena_.steps_so_far + static_cast<std::uint32_t>(step + 1);
  }

  // Collective. Owners say one step ahead where everybody's bytes go.
  void write() {
    if (owned() != nullptr && steps_ > 0) assign(0);
    meet();
    for (std::int64_t step = 0; step < steps_; ++step) {
      for_each_owner([&](int owner, const MovingWindow& window) { give(owner, window, step); });
      if (owned() != nullptr && step + 1 < steps_) assign(step + 1);
      meet();
      if (owned() != nullptr) drain(step);
    }
  }

  void note(const Status& done) {
    if (!done && !failure_) failure_ = done.error();
  }
  void meet() { call_.state.node.barrier(); }
  const MovingWindow* owned() const { return call_.plan().owned ? &*call_.plan().owned : nullptr; }

  template <class Visit>
  void for_each_owner(const Visit& visit) const {
    // Not everybody at the same slab.
    const auto& phases = call_.plan().phases;
    if (owned() != nullptr) visit(me_, *owned());
    if (phases.empty()) return;
    const auto& ships = phases[0].ships;
    const auto after = std::partition_point(ships.begin(), ships.end(),
                                            [&](const Piece& piece) { return piece.peer < me_; });
    for (auto it = after; it != ships.end(); ++it) visit(it->peer, it->window);
    for (auto it = ships.begin(); it != after; ++it) visit(it->peer, it->window);
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

  // This rank's own bytes in its own domain need no slab where memory is contiguous.
  bool stays_home(int rank) const { return rank == me_ && call_.memory_is_direct(me_); }

  // --- owner, reading ---

  void fill(std::int64_t step) {
    std::int64_t* places = arena_.places(me_, step);
    std::fill_n(places, call_.file.ranks, std::int64_t{kNowhere});
    if (failure_) return;
    if (suits_picking(step)) return fill_window(places, step);
    std::vector<std::byte*> next = lay_out(places, step, arena_.data(me_, step));
    for_each_interval(*owned(), step, [&](Extent interval, std::int64_t) {
      for (std::int64_t at = interval.offset; at < interval.end() && !failure_; at += kChunkBytes)
        deal_out({at, std::min(kChunkBytes, interval.end() - at)}, next);
    });
    if (failure_) std::fill_n(places, call_.file.ranks, std::int64_t{kNowhere});
  }

  // Where the next byte of every rank goes.
  std::vector<std::byte*> lay_out(std::int64_t* places, std::int64_t step, std::byte* data) {
    std::vector<std::byte*> next(static_cast<std::size_t>(call_.file.ranks), nullptr);
    std::int64_t total = 0;
    for (int r = 0; r < call_.file.ranks; ++r) {
      std::int64_t bytes = 0;
      std::int64_t first = 0;
      for_each_interval(*owned(), step, [&](Extent interval, std::int64_t) {
        const PackedRange range = call_.range_of(r, interval);
        if (range.bytes() <= 0) return;
        if (bytes == 0) first = range.begin;
        bytes += range.bytes();
      });
      if (bytes == 0) continue;
      if (stays_home(r)) {
        next[static_cast<std::size_t>(r)] = call_.direct_memory() + first;
        continue;
      }
      places[r] = total;
      next[static_cast<std::size_t>(r)] = data + total;
      total += bytes;
    }
    return next;
  }

  void deal_out(Extent chunk, std::vector<std::byte*>& next) {
    const Shares shares = shares_in(call_, chunk);
    if (shares.list.empty()) return;
    sinks_.clear();
    for (const Share& share : shares.list) {
      std::byte*& to = next[static_cast<std::size_t>(share.origin)];
      if (shares.sparse)
        note(read_pieces(call_, share, to));
      else
        sinks_.push_back({share.pattern, share.begin, share.end, to});
      to += share.bytes();
    }
    if (shares.sparse) return;
    const auto window = call_.state.windows[0].borrow(kChunkBytes);
    if (!window.granted()) return note(fail(ErrorKind::no_memory, "no memory for a window"));
    note(read_span(call_, shares, window.data()));
    if (!failure_) pack_many(sinks_, window.data() - shares.span.offset);
  }

  // Most of it asked for, and not by many ranks in the same lines; or asked for twice and more.
  bool suits_picking(std::int64_t step) const {
    std::int64_t asked = 0;
    std::int64_t there = 0;
    std::int64_t runs = 0;
    for_each_interval(*owned(), step, [&](Extent interval, std::int64_t) {
      const Shares shares = shares_in(call_, interval);
      asked += shares.bytes;
      there += interval.bytes;
      for (const Share& share : shares.list) runs += share.bytes() / mean_run(*share.pattern) + 1;
    });
    if (runs == 0) return false;
    if (asked > call_.file.ranks * arena_.step_bytes() || asked >= 2 * there) return true;
    return asked >= there / 2 && (call_.file.ranks <= kPickingRanks || asked / runs >= kLineBytes);
  }

  void fill_window(std::int64_t* places, std::int64_t step) {
    std::byte* data = arena_.data(me_, step);
    for_each_interval(*owned(), step, [&](Extent interval, std::int64_t at) {
      const Shares shares = shares_in(call_, interval);
      if (shares.list.empty() || failure_) return;
      note(read_span(call_, shares, data + at + (shares.span.offset - interval.offset)));
    });
    if (failure_) return;
    std::fill_n(places, call_.file.ranks, std::int64_t{kInWindow});
  }

  // --- every rank, reading ---

  void take(int owner, const MovingWindow& window, std::int64_t step) {
    const std::int64_t place = arena_.places(owner, step)[me_];
    if (place == kNowhere) return;
    const std::byte* data = arena_.data(owner, step);
    const std::byte* packed = data + std::max<std::int64_t>(place, 0);
    for_each_interval(window, step, [&](Extent interval, std::int64_t at) {
      const PackedRange range = call_.range_of(me_, interval);
      if (range.bytes() <= 0) return;
      if (owner != me_) call_.counters().bytes_pulled += range.bytes();
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
    if (!lease.granted()) return note(fail(ErrorKind::no_memory, "no memory for a window"));
    pack(mine.stream, window_base, begin, end, lease.data());
    unpack(call_.access.memory.pattern, call_.access.memory.base, range.begin, range.end,
           lease.data());
  }

  // --- writing ---

  void assign(std::int64_t step) {
    std::int64_t* places = arena_.places(me_, step);
    std::fill_n(places, call_.file.ranks, std::int64_t{kNowhere});
    if (!failure_) lay_out(places, step, arena_.data(me_, step));
  }

  void give(int owner, const MovingWindow& window, std::int64_t step) {
    const std::int64_t place = arena_.places(owner, step)[me_];
    if (place < 0) return;
    std::byte* packed = arena_.data(owner, step) + place;
    for_each_interval(window, step, [&](Extent interval, std::int64_t) {
      const PackedRange range = call_.range_of(me_, interval);
      if (range.bytes() <= 0) return;
      if (owner != me_) call_.counters().bytes_pulled += range.bytes();
      pack(call_.access.memory.pattern, call_.access.memory.base, range.begin, range.end, packed);
      packed += range.bytes();
    });
  }

  void drain(std::int64_t step) {
    if (failure_) return;
    std::vector<std::int64_t> places(static_cast<std::size_t>(call_.file.ranks));
    std::vector<std::byte*> next = lay_out(places.data(), step, arena_.data(me_, step));
    for_each_interval(*owned(), step, [&](Extent interval, std::int64_t) {
      for (std::int64_t at = interval.offset; at < interval.end() && !failure_; at += kChunkBytes)
        store({at, std::min(kChunkBytes, interval.end() - at)}, next);
    });
  }

  void store(Extent chunk, std::vector<std::byte*>& next) {
    const Shares shares = shares_in(call_, chunk);
    if (shares.list.empty()) return;
    sources_.clear();
    for (const Share& share : shares.list) {
      std::byte*& from = next[static_cast<std::size_t>(share.origin)];
      if (shares.sparse)
        note(write_pieces(call_, share, from));
      else
        sources_.push_back({share.pattern, share.begin, share.end, from});
      from += share.bytes();
    }
    if (shares.sparse || failure_) return;
    const auto window = call_.state.windows[0].borrow(kChunkBytes);
    if (!window.granted()) return note(fail(ErrorKind::no_memory, "no memory for a window"));
    note(prepare_window(call_, shares, window.data()));
    if (failure_) return;
    unpack_many(sources_, window.data() - shares.span.offset);
    note(write_span(call_, shares, window.data()));
  }

  RunningCall& call_;
  Arena& arena_;
  const int me_;
  // Contiguous memory that is larger than the caches: what is read goes past them.
  const bool streams_;
  const std::int64_t steps_per_round_;
  const std::int64_t steps_;
  std::optional<Error> failure_;
  std::vector<Sink> sinks_;
  std::vector<Source> sources_;
};

}  // namespace

std::optional<Error> run_arena(RunningCall& call) { return ArenaRun(call).run(); }

}  // namespace tutti
