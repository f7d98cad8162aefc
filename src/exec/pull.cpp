#include "exec/pull.hpp"

#include <algorithm>

#include "exec/staged_memory.hpp"
#include "exec/window_access.hpp"
#include "pattern/blocks.hpp"
#include "pattern/interleave.hpp"

namespace tutti {

namespace {

// A window and what is pulled into it stay in the second-level cache together.
constexpr std::int64_t kChunkBytes = 256 << 10;
constexpr std::int64_t kFetchBytes = 32 << 10;
// A mapping this long costs little to set up beside what is read through it.
constexpr std::int64_t kMapBytes = 8 << 20;
// Runs at least this long travel straight between a peer's memory and the window.
constexpr std::int64_t kScatterRunBytes = 1024;

class Puller {
 public:
  explicit Puller(RunningCall& call) : call_(call) {}

  std::optional<Error> run() {
    const bool staged = anybody_is_staged();
    const bool me_staged = !call_.memory_is_direct(call_.file.rank);
    StagedMemory memory(call_);
    std::int64_t closed = 0;
    for (std::int64_t round = 0; round < call_.plan().rounds; ++round) {
      if (staged) {
        if (me_staged) note(memory.open_round(round));
        meet();
        // Everybody has finished the round before the last barrier.
        if (me_staged && round > 0 && !failure_) memory.close_round(closed++);
        find_slots(round);
      }
      if (call_.plan().owned)
        for_each_owned(*call_.plan().owned, round, [&](Extent window) { own_window(window); });
    }
    if (staged) meet();
    if (me_staged && !failure_)
      for (; closed < call_.plan().rounds; ++closed) memory.close_round(closed);
    return failure_;
  }

 private:
  void note(std::optional<Error> failed) {
    if (failed && !failure_) failure_ = std::move(failed);
  }
  void note(const Status& done) {
    if (!done && !failure_) failure_ = done.error();
  }

  // Collective.
  void meet() { call_.talk.exchange().barrier(); }

  bool anybody_is_staged() const {
    return std::any_of(call_.outlook.cards.begin(), call_.outlook.cards.end(),
                       [](const CallCard& card) { return card.bytes > 0 && card.direct == 0; });
  }

  // Where this owner finds the packed bytes of ranks that staged them in this round.
  void find_slots(std::int64_t round) {
    slot_of_.assign(static_cast<std::size_t>(call_.file.ranks), 0);
    slot_begin_.assign(static_cast<std::size_t>(call_.file.ranks), 0);
    if (failure_ || !call_.plan().owned) return;
    const auto entry = static_cast<std::uint64_t>(
        ((round % 2) * call_.file.ranks + call_.file.rank) * std::int64_t{sizeof(std::uint64_t)});
    for_each_owned(*call_.plan().owned, round, [&](Extent window) {
      for (int r = 0; r < call_.file.ranks; ++r) {
        const PackedRange range = call_.range_of(r, window);
        if (range.bytes() <= 0 || call_.memory_is_direct(r)) continue;
        const auto i = static_cast<std::size_t>(r);
        iovec here{&slot_of_[i], sizeof slot_of_[i]};
        note(call_.state.peers.pull(r, call_.state.table_of[i] + entry, {&here, 1}));
        slot_begin_[i] = range.begin;
      }
    });
  }

  // Where byte `packed` of rank `origin` is, in that rank's address space.
  std::uint64_t address_of(int origin, std::int64_t packed) const {
    const auto i = static_cast<std::size_t>(origin);
    if (call_.memory_is_direct(origin))
      return call_.outlook.cards[i].memory_address + static_cast<std::uint64_t>(packed);
    return slot_of_[i] + static_cast<std::uint64_t>(packed - slot_begin_[i]);
  }

  // This rank's own bytes need no fetching.
  std::byte* own_bytes(int origin, std::int64_t packed) const {
    if (origin != call_.file.rank) return nullptr;
    return reinterpret_cast<std::byte*>(address_of(origin, packed));
  }

  void own_window(Extent window) {
    if (call_.reading()) window.bytes = std::min(window.bytes, call_.end_of_file - window.offset);
    if (!call_.reading() || !call_.file.device->facts().maps_reads)
      return cut(window, chunk_bytes(), [&](Extent chunk) { own_chunk(chunk, nullptr); });
    // The page cache itself serves as the window.
    cut(window, kMapBytes, [&](Extent part) {
      const Shares asked = shares_in(call_, part);
      if (asked.list.empty()) return;
      if (asked.sparse)
        return cut(part, chunk_bytes(), [&](Extent chunk) { own_chunk(chunk, nullptr); });
      note(call_.file.device->view_mapped(
          {part.offset + call_.outlook.shift, part.bytes}, [&](const std::byte* mapped) {
            cut(part, chunk_bytes(),
                [&](Extent chunk) { own_chunk(chunk, mapped + (chunk.offset - part.offset)); });
          }));
    });
  }

  template <class Visit>
  void cut(Extent whole, std::int64_t step, const Visit& visit) {
    for (std::int64_t at = whole.offset; at < whole.end() && !failure_; at += step)
      visit(Extent{at, std::min(step, whole.end() - at)});
  }

  // Many peers: longer chunks, so that what is fetched from each is worth a call.
  std::int64_t chunk_bytes() const {
    return std::clamp(call_.file.ranks * kFetchBytes, kChunkBytes, 4 * kChunkBytes);
  }

  // `mapped`: the chunk's bytes, where the file is mapped.
  void own_chunk(Extent chunk, const std::byte* mapped) {
    const Shares shares = shares_in(call_, chunk);
    if (shares.list.empty()) return;
    const auto lease = call_.state.windows[0].borrow(mapped == nullptr ? chunk_bytes() : 1);
    const auto slots = call_.state.slots.borrow(std::max(shares.bytes, chunk_bytes()));
    if (!lease.granted() || !slots.granted())
      return note(Error{ErrorKind::no_memory, "no memory for a window"});
    if (!call_.reading()) return write_chunk(shares, lease.data(), slots.data());
    if (mapped != nullptr) {
      ++call_.counters().device_operations;
      call_.counters().device_bytes += shares.span.bytes;
      return deal_out(shares, mapped + (shares.span.offset - chunk.offset), slots.data());
    }
    if (!shares.sparse) note(read_span(call_, shares, lease.data()));
    deal_out(shares, lease.data(), slots.data());
  }

  // The places of a share inside the window, joined where they touch.
  std::span<iovec> places(const Share& share, const std::byte* window, std::int64_t span_offset) {
    places_.clear();
    for_each_run(*share.pattern, share.begin, share.end, [&](Extent run) {
      places_.push_back({const_cast<std::byte*>(window) + (run.offset - span_offset),
                         static_cast<std::size_t>(run.bytes)});
      return true;
    });
    return places_;
  }

  bool has_long_runs(const Share& share) const {
    return share.pattern->is_contiguous() ||
           share.pattern->size() / share.pattern->run_count() >= kScatterRunBytes;
  }

  void write_chunk(const Shares& shares, std::byte* window, std::byte* slots) {
    if (!shares.sparse) note(prepare_window(call_, shares, window));
    sources_.clear();
    for (const Share& share : shares.list) {
      if (failure_) return;
      const std::byte* packed = own_bytes(share.origin, share.packed.begin);
      const std::uint64_t address = address_of(share.origin, share.packed.begin);
      if (packed == nullptr && shares.exact && has_long_runs(share)) {
        note(call_.state.peers.pull(share.origin, address,
                                    places(share, window, shares.span.offset)));
        call_.counters().bytes_pulled += share.bytes();
        continue;
      }
      if (packed == nullptr) {
        iovec here{slots, static_cast<std::size_t>(share.bytes())};
        note(call_.state.peers.pull(share.origin, address, {&here, 1}));
        call_.counters().bytes_pulled += share.bytes();
        packed = slots;
        slots += share.bytes();
      }
      if (shares.sparse && !failure_)
        note(write_pieces(call_, share, packed));
      else
        sources_.push_back({share.pattern, share.begin, share.end, packed});
    }
    if (shares.sparse || failure_) return;
    unpack_many(sources_, window - shares.span.offset);
    note(write_span(call_, shares, window));
  }

  // A read's chunk to the ranks that asked for it; where it is sparse, straight from storage.
  void deal_out(const Shares& shares, const std::byte* window, std::byte* slots) {
    if (failure_) return;
    sinks_.clear();
    deliveries_.clear();
    for (const Share& share : shares.list) {
      std::byte* packed = own_bytes(share.origin, share.packed.begin);
      const std::uint64_t address = address_of(share.origin, share.packed.begin);
      if (packed == nullptr && !shares.sparse && has_long_runs(share)) {
        note(call_.state.peers.push(share.origin, address,
                                    places(share, window, shares.span.offset)));
        continue;
      }
      if (packed == nullptr) {
        packed = slots;
        slots += share.bytes();
        deliveries_.push_back({share.origin, address, packed, share.bytes()});
      }
      if (shares.sparse)
        note(read_pieces(call_, share, packed));
      else
        sinks_.push_back({share.pattern, share.begin, share.end, packed});
    }
    if (failure_) return;
    pack_many(sinks_, window - shares.span.offset);
    for (const Delivery& delivery : deliveries_) {
      iovec here{delivery.packed, static_cast<std::size_t>(delivery.bytes)};
      note(call_.state.peers.push(delivery.origin, delivery.address, {&here, 1}));
      call_.counters().bytes_pulled += delivery.bytes;
    }
  }

  struct Delivery {
    int origin;
    std::uint64_t address;
    std::byte* packed;
    std::int64_t bytes;
  };

  RunningCall& call_;
  std::optional<Error> failure_;
  std::vector<std::uint64_t> slot_of_;
  std::vector<std::int64_t> slot_begin_;
  std::vector<iovec> places_;
  std::vector<Source> sources_;
  std::vector<Sink> sinks_;
  std::vector<Delivery> deliveries_;
};

}  // namespace

std::optional<Error> run_pull(RunningCall& call) { return Puller(call).run(); }

}  // namespace tutti
