// Writing: ranks put their bytes into the owners' slots, owners put them in order and store them.
#include <algorithm>

#include "exec/arena_run.hpp"
#include "exec/arena_steps.hpp"
#include "exec/window_access.hpp"
#include "pattern/copy.hpp"
#include "pattern/interleave.hpp"

namespace tutti {

namespace {

class ArenaWrite : public ArenaSteps {
 public:
  explicit ArenaWrite(RunningCall& call) : ArenaSteps(call), owners_(owners()) {}

  // Collective. Owners say one step ahead where everybody's bytes go.
  std::optional<Error> run() {
    if (owned() != nullptr && steps_ > 0) assign(0);
    meet();
    for (std::int64_t step = 0; step < steps_; ++step) {
      for (const ArenaOwner& owner : owners_) give(owner, step);
      if (owned() != nullptr && step + 1 < steps_) assign(step + 1);
      meet();
      if (owned() != nullptr) drain(step);
    }
    return failure_;
  }

 private:
  void meet() { call_.state.node.barrier(); }

  void assign(std::int64_t step) {
    std::int64_t* places = arena_.places(me_, count_of(step));
    std::fill_n(places, call_.file.ranks, std::int64_t{kNowhere});
    if (!failure_) lay_out(*owned(), step, places, arena_.data(me_, count_of(step)));
  }

  void give(const ArenaOwner& owner, std::int64_t step) {
    const std::int64_t place = arena_.places(owner.rank, count_of(step))[me_];
    if (place < 0) return;
    std::byte* packed = arena_.data(owner.rank, count_of(step)) + place;
    for_each_interval(owner.window, step, [&](Extent interval, std::int64_t) {
      const PackedRange range = call_.range_of(me_, interval);
      if (range.bytes() <= 0) return;
      if (owner.rank != me_) call_.counters().bytes_pulled += range.bytes();
      pack(call_.access.memory.pattern, call_.access.memory.base, range.begin, range.end, packed);
      packed += range.bytes();
    });
  }

  void drain(std::int64_t step) {
    if (failure_) return;
    std::vector<std::int64_t> places(static_cast<std::size_t>(call_.file.ranks));
    std::vector<std::byte*> next =
        lay_out(*owned(), step, places.data(), arena_.data(me_, count_of(step)));
    for_each_chunk(*owned(), step, [&](Extent chunk) { store(chunk, next); });
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

  const std::vector<ArenaOwner> owners_;
  std::vector<Source> sources_;
};

}  // namespace

std::optional<Error> write_by_arena(RunningCall& call) { return ArenaWrite(call).run(); }

}  // namespace tutti
