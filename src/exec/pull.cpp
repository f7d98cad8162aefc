#include "exec/pull.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "exec/listed_access.hpp"
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
// Stripes are gathered at least up to this size for one list.
constexpr std::int64_t kListBytes = 1 << 20;
// What a device copies at once stays in the second-level cache, with what is fetched for it.
constexpr std::int64_t kCopiedListBytes = 512 << 10;
// Runs at least this long travel straight between a peer's memory and the window.
constexpr std::int64_t kScatterRunBytes = 1024;

class Puller {
 public:
  explicit Puller(RunningCall& call)
      : call_(call), reads_ahead_(call.reading() && call.file.device->facts().asynchronous) {}

  std::optional<Error> run() {
    const bool staged = anybody_is_staged(call_.outlook.cards);
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
      if (call_.plan().listed)
        own_lists(round);
      else
        for (const MovingWindow& owned : call_.plan().owned)
          for_each_owned(owned, round, [&](Extent window) { own_window(window); });
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

  // Where this owner finds the packed bytes of ranks that staged them in this round.
  void find_slots(std::int64_t round) {
    staged_.resize(static_cast<std::size_t>(call_.file.ranks));
    for (auto& parts : staged_) parts.clear();
    if (failure_ || call_.plan().owned.empty()) return;
    const auto entry = static_cast<std::uint64_t>(
        ((round % 2) * call_.file.ranks + call_.file.rank) * std::int64_t{sizeof(std::uint64_t)});
    for (const MovingWindow& owned : call_.plan().owned)
      for_each_owned(owned, round, [&](Extent window) {
        for (int r = 0; r < call_.file.ranks; ++r) {
          const PackedRange range = call_.range_of(r, window);
          if (range.bytes() <= 0 || call_.memory_is_direct(r)) continue;
          const auto i = static_cast<std::size_t>(r);
          std::uint64_t address = 0;
          if (staged_[i].empty()) {
            iovec here{&address, sizeof address};
            note(call_.state.peers.pull(r, call_.state.table_of[i] + entry, {&here, 1}));
          } else {
            const StagedPart& before = staged_[i].back();
            address = before.address + static_cast<std::uint64_t>(before.range.bytes());
          }
          staged_[i].push_back({range, address});
        }
      });
  }

  // Where byte `packed` of rank `origin` is, in that rank's address space.
  std::uint64_t address_of(int origin, std::int64_t packed) const {
    const auto i = static_cast<std::size_t>(origin);
    if (call_.memory_is_direct(origin))
      return call_.outlook.cards[i].memory_address + static_cast<std::uint64_t>(packed);
    for (const StagedPart& part : staged_[i])
      if (packed >= part.range.begin && packed < part.range.end)
        return part.address + static_cast<std::uint64_t>(packed - part.range.begin);
    return 0;
  }

  // This rank's own bytes need no fetching.
  std::byte* own_bytes(int origin, std::int64_t packed) const {
    if (origin != call_.file.rank) return nullptr;
    return reinterpret_cast<std::byte*>(address_of(origin, packed));
  }

  void own_window(Extent window) {
    if (call_.reading()) window.bytes = std::min(window.bytes, call_.end_of_file - window.offset);
    const auto& device = call_.file.device;
    if (!call_.reading() || !device->facts().maps_reads || !device->is_dense())
      return cut(window, chunk_bytes(), [&](Extent chunk) { own_chunk(chunk); });
    cut(window, kMapBytes, [&](Extent part) {
      const Shares asked = shares_in(call_, part);
      if (asked.list.empty()) return;
      if (asked.sparse) return cut(part, chunk_bytes(), [&](Extent chunk) { own_chunk(chunk); });
      view_chunks(part);
    });
  }

  // The page cache itself serves as the window. What the look needs is made before it: see
  // view_mapped().
  void view_chunks(Extent part) {
    chunks_.clear();
    std::int64_t most = chunk_bytes();
    cut(part, chunk_bytes(), [&](Extent chunk) {
      chunks_.push_back(shares_in(call_, chunk));
      most = std::max(most, chunks_.back().bytes);
    });
    const auto slots = call_.state.slots.borrow(most);
    if (!slots.granted()) return note(Error{ErrorKind::no_memory, "no memory for a window"});
    const auto deal_out_chunks = [&](const std::byte* mapped) {
      for (const Shares& shares : chunks_) {
        if (shares.list.empty() || failure_) continue;
        ++call_.counters().device_operations;
        call_.counters().device_bytes += shares.span.bytes;
        deal_out(shares, mapped + (shares.span.offset - part.offset), slots.data());
      }
    };
    note(call_.file.device->view_mapped({part.offset + call_.outlook.shift, part.bytes},
                                        deal_out_chunks));
  }

  // The pieces of all windows, as many at a time as fill a list.
  void own_lists(std::int64_t round) {
    // What is staged and what is fetched for it have a half of the buffer each.
    const std::int64_t most = std::max(kListBytes, call_.file.hints.cb_buffer_size / 2);
    const Hints& hints = call_.file.hints;
    const bool copied = hints.list_segments == 0 && !call_.file.device->facts().asynchronous;
    for (const MovingWindow& owned : call_.plan().owned) {
      // Ahead of time two lists are under way; a part of the file is several of them.
      const std::int64_t longest = !reads_ahead_             ? most
                                   : owned.stripes.unit == 0 ? std::max(kListBytes, most / 4)
                                                             : std::max(kListBytes, most / 2);
      const std::int64_t enough = copied ? std::min(longest, kCopiedListBytes) : longest;
      for_each_owned(owned, round, [&](Extent piece) {
        if (call_.reading()) piece.bytes = std::min(piece.bytes, call_.end_of_file - piece.offset);
        cut(piece, longest, [&](Extent chunk) {
          const bool full = std::ssize(parts_.list()) >= most_list_segments(hints);
          if (full || parts_.staging_bytes() + chunk.bytes > enough) own_parts();
          parts_.add(call_, chunk, true);
        });
      });
      own_parts();
    }
    if (reads_ahead_) own_parts();
  }

  void own_parts() {
    if (reads_ahead_) return read_next();
    if (!parts_.empty() && !failure_) {
      const auto lease = call_.state.windows[0].borrow(parts_.staging_bytes());
      const auto slots = call_.state.slots.borrow(parts_.asked_bytes());
      if (!lease.granted() || !slots.granted())
        note(Error{ErrorKind::no_memory, "no memory for a window"});
      else
        move_parts(lease.data(), slots.data());
    }
    parts_.clear();
  }

  // Starts to read what is gathered, and deals out what was started before it.
  void read_next() {
    if (!parts_.empty() && !failure_) {
      const auto slot = static_cast<std::size_t>(slot_);
      const std::int64_t bytes = parts_.staging_bytes();
      Started& next = started_[slot].emplace(call_.state.windows[slot].borrow(bytes));
      next.parts = std::move(parts_);
      if (next.staging.granted()) {
        next.wanted = start_parts(call_, next.parts, next.staging.data(), slot_);
      } else {
        started_[slot].reset();
        note(Error{ErrorKind::no_memory, "no memory for a window"});
      }
    }
    parts_ = {};
    slot_ = 1 - slot_;
    conclude(slot_);
  }

  void conclude(int slot) {
    std::optional<Started>& done = started_[static_cast<std::size_t>(slot)];
    if (!done) return;
    note(finish_parts(call_, done->wanted, slot));
    const auto slots = call_.state.slots.borrow(done->parts.asked_bytes());
    if (!slots.granted()) note(Error{ErrorKind::no_memory, "no memory for a window"});
    for (const ListedPart& part : done->parts.list())
      deal_out(part.shares, done->staging.data() + part.at, slots.data());
    done.reset();
  }

  void move_parts(std::byte* staging, std::byte* slots) {
    note(call_.reading() ? access_parts(call_, parts_, staging)
                         : prepare_parts(call_, parts_, staging));
    for (const ListedPart& part : parts_.list()) {
      if (failure_) return;
      if (call_.reading()) {
        deal_out(part.shares, staging + part.at, slots);
      } else {
        fetch(part.shares, staging + part.at, slots);
        if (!failure_) unpack_many(sources_, staging + part.at - part.shares.span.offset);
      }
    }
    if (!call_.reading() && !failure_) note(access_parts(call_, parts_, staging));
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

  void own_chunk(Extent chunk) {
    const Shares shares = shares_in(call_, chunk);
    if (shares.list.empty()) return;
    const auto lease = call_.state.windows[0].borrow(chunk_bytes());
    const auto slots = call_.state.slots.borrow(std::max(shares.bytes, chunk_bytes()));
    if (!lease.granted() || !slots.granted())
      return note(Error{ErrorKind::no_memory, "no memory for a window"});
    if (!call_.reading()) return write_chunk(shares, lease.data(), slots.data());
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
    fetch(shares, window, slots);
    if (shares.sparse || failure_) return;
    unpack_many(sources_, window - shares.span.offset);
    note(write_span(call_, shares, window));
  }

  // What a write's shares consist of, into the window or as sources for it; where it is sparse,
  // straight to storage.
  void fetch(const Shares& shares, std::byte* window, std::byte* slots) {
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

  // A list that storage reads.
  struct Started {
    explicit Started(Scratch::Lease lease) : staging(std::move(lease)) {}
    Scratch::Lease staging;
    ListedParts parts;
    std::int64_t wanted = 0;
  };

  RunningCall& call_;
  std::optional<Error> failure_;
  // Storage reads the next list while this rank deals out the last one.
  const bool reads_ahead_;
  std::array<std::optional<Started>, Background::kSlots> started_;
  int slot_ = 0;
  // Bytes that a rank with noncontiguous memory staged for this owner.
  struct StagedPart {
    PackedRange range;
    std::uint64_t address = 0;
  };
  std::vector<std::vector<StagedPart>> staged_;  // by rank
  ListedParts parts_;
  std::vector<Shares> chunks_;  // of the part of the file that is mapped
  std::vector<iovec> places_;
  std::vector<Source> sources_;
  std::vector<Sink> sinks_;
  std::vector<Delivery> deliveries_;
};

}  // namespace

std::optional<Error> run_pull(RunningCall& call) { return Puller(call).run(); }

}  // namespace tutti
