#include "exec/messages.hpp"

#include <algorithm>

#include "base/wall_clock.hpp"
#include "exec/holdings.hpp"
#include "exec/mailbag.hpp"
#include "exec/window_access.hpp"
#include "pattern/copy.hpp"
#include "pattern/interleave.hpp"

namespace tutti {

namespace {

constexpr int kDataTag = 3;

// A piece in one round: which packed bytes of its origin it stands for.
struct Parcel {
  int peer = 0;
  int origin = 0;
  PackedRange range;
};

// Buffers that live until the round is over.
class RoundMemory {
 public:
  // Null when memory is short.
  std::byte* take(std::int64_t bytes) {
    Buffer& buffer = buffers_.emplace_back(allocate_buffer(std::max<std::int64_t>(bytes, 1)));
    return buffer.get();
  }
  void clear() { buffers_.clear(); }

 private:
  std::vector<Buffer> buffers_;
};

class MessageRun {
 public:
  explicit MessageRun(RunningCall& call) : call_(call) {}

  // Two windows take turns: while storage works on the one, the exchange fills or empties the
  // other.
  std::optional<Error> run() {
    const std::int64_t rounds = call_.plan().rounds;
    if (call_.reading() && rounds > 0) start_reads(0);
    for (std::int64_t round = 0; round < rounds; ++round) {
      if (call_.reading()) {
        if (round + 1 < rounds) start_reads(round + 1);
        read_round(round);
      } else {
        write_round(round);
      }
      holdings_.clear();
      memory_.clear();
    }
    for (int slot = 0; slot < Background::kSlots; ++slot) conclude(slot);
    return failure_;
  }

 private:
  void note(const Status& done) {
    if (!done && !failure_) failure_ = done.error();
  }
  void fail_memory() { note(fail(ErrorKind::no_memory, "no memory for an exchange buffer")); }

  // The non-empty parcels of `pieces` in this round, by peer and origin: the order both sides use.
  std::vector<Parcel> parcels(const std::vector<Piece>& pieces, std::int64_t round) const {
    std::vector<Parcel> list;
    for (const Piece& piece : pieces)
      for_each_owned(piece.window, round, [&](Extent interval) {
        const PackedRange range = call_.range_of(piece.origin, interval);
        if (range.bytes() > 0) list.push_back({piece.peer, piece.origin, range});
      });
    std::stable_sort(list.begin(), list.end(), [](const Parcel& a, const Parcel& b) {
      return a.peer != b.peer ? a.peer < b.peer : a.origin < b.origin;
    });
    return list;
  }

  // Calls visit(peer, parcels of that peer, their bytes).
  template <class Visit>
  static void for_each_peer(const std::vector<Parcel>& list, const Visit& visit) {
    for (std::size_t i = 0; i < list.size();) {
      std::size_t end = i;
      std::int64_t bytes = 0;
      for (; end < list.size() && list[end].peer == list[i].peer; ++end)
        bytes += list[end].range.bytes();
      visit(list[i].peer, std::span(list).subspan(i, end - i), bytes);
      i = end;
    }
  }

  // Where a parcel lies in one piece already, or null.
  const std::byte* in_place(const Parcel& parcel) const {
    if (parcel.origin == call_.file.rank && !call_.reading())
      return call_.memory_is_direct(call_.file.rank) ? call_.direct_memory() + parcel.range.begin
                                                     : nullptr;
    return holdings_.find(parcel.origin, parcel.range);
  }

  void copy_out(const Parcel& parcel, std::byte* to) const {
    if (const std::byte* from = in_place(parcel))
      std::memcpy(to, from, static_cast<std::size_t>(parcel.range.bytes()));
    else if (parcel.origin == call_.file.rank && !call_.reading())
      pack(call_.access.memory.pattern, call_.access.memory.base, parcel.range.begin,
           parcel.range.end, to);
    else
      holdings_.gather(parcel.origin, parcel.range, to);
  }

  // Between ranks of one node the owner moves the bytes itself, from or to the other's memory, and
  // no message goes. Both sides find the same answer.
  bool without_message(const Parcel& parcel) const {
    return call_.plan().phases.size() == 1 && call_.state.peers.reaches(parcel.peer) &&
           call_.memory_is_direct(parcel.origin);
  }

  std::uint64_t address_of(const Parcel& parcel) const {
    return call_.outlook.cards[static_cast<std::size_t>(parcel.origin)].memory_address +
           static_cast<std::uint64_t>(parcel.range.begin);
  }

  // Takes the parcels that need no message out of `list` and calls move(parcel) for each.
  template <class Move>
  void without_messages(std::vector<Parcel>& list, const Move& move) {
    std::erase_if(list, [&](const Parcel& parcel) {
      if (!without_message(parcel)) return false;
      move(parcel);
      return true;
    });
  }

  // A write's owner.
  void pull(const Parcel& parcel) {
    std::byte* landed = memory_.take(parcel.range.bytes());
    if (landed == nullptr) return fail_memory();
    iovec here{landed, static_cast<std::size_t>(parcel.range.bytes())};
    note(call_.state.peers.pull(parcel.peer, address_of(parcel), {&here, 1}));
    call_.counters().bytes_pulled += parcel.range.bytes();
    holdings_.add(parcel.origin, parcel.range, landed);
  }

  // A read's owner.
  void push(const Parcel& parcel) {
    const std::byte* ready = in_place(parcel);
    if (failure_ || ready == nullptr) return;
    iovec here{const_cast<std::byte*>(ready), static_cast<std::size_t>(parcel.range.bytes())};
    note(call_.state.peers.push(parcel.peer, address_of(parcel), {&here, 1}));
    call_.counters().bytes_pulled += parcel.range.bytes();
  }

  void start_sends(const std::vector<Parcel>& list, Mailbag& bag) {
    for_each_peer(list, [&](int peer, std::span<const Parcel> some, std::int64_t bytes) {
      const std::byte* ready = some.size() == 1 ? in_place(some[0]) : nullptr;
      if (ready == nullptr) {
        std::byte* packed = memory_.take(bytes);
        if (packed == nullptr) {
          fail_memory();
          return bag.send_nothing(peer, bytes);
        }
        std::int64_t at = 0;
        for (const Parcel& parcel : some) {
          copy_out(parcel, packed + at);
          at += parcel.range.bytes();
        }
        ready = packed;
      }
      bag.send(peer, ready, bytes);
    });
  }

  struct Arrival {
    Parcel parcel;
    std::byte* data;
  };

  void start_receives(const std::vector<Parcel>& list, Mailbag& bag,
                      std::vector<Arrival>& arrivals) {
    for_each_peer(list, [&](int peer, std::span<const Parcel> some, std::int64_t bytes) {
      std::byte* landed = landing_place(some, bytes);
      if (landed == nullptr) {
        fail_memory();
        return bag.receive_nothing(peer, bytes);
      }
      bag.receive(peer, landed, bytes);
      for (const Parcel& parcel : some) {
        arrivals.push_back({parcel, landed});
        landed += parcel.range.bytes();
      }
    });
  }

  // A read's own bytes land in the user's memory where that is contiguous.
  std::byte* landing_place(std::span<const Parcel> some, std::int64_t bytes) {
    const bool own = call_.reading() && some.size() == 1 && some[0].origin == call_.file.rank &&
                     call_.memory_is_direct(call_.file.rank);
    return own ? call_.direct_memory() + some[0].range.begin : memory_.take(bytes);
  }

  void exchange(std::vector<Parcel> out, std::vector<Parcel> in) {
    const double began = wall_seconds();
    std::vector<Arrival> arrivals;
    const Topology& topology = call_.state.inspector.topology;
    Mailbag bag(call_.file.comm.get(), kDataTag, call_.counters(),
                topology.one_node ? std::span<const std::int32_t>() : topology.node_of,
                call_.talk.caller());
    std::vector<Parcel> near;
    auto& moved_here = call_.reading() ? out : in;
    auto& moved_there = call_.reading() ? in : out;
    without_messages(moved_there, [](const Parcel&) {});
    without_messages(moved_here, [&](const Parcel& parcel) { near.push_back(parcel); });
    start_receives(in, bag, arrivals);
    start_sends(out, bag);
    for (const Parcel& parcel : near) call_.reading() ? push(parcel) : pull(parcel);
    if (!bag.wait()) note(fail(ErrorKind::internal, "a message could not be exchanged"));
    for (const Arrival& arrival : arrivals) {
      if (call_.reading() && arrival.parcel.origin == call_.file.rank)
        deliver(arrival.parcel.range, arrival.data);
      else
        holdings_.add(arrival.parcel.origin, arrival.parcel.range, arrival.data);
    }
    call_.counters().exchange_s += wall_seconds() - began;
  }

  // To the user's memory.
  void deliver(PackedRange range, const std::byte* packed) {
    if (failure_) return;
    if (!call_.memory_is_direct(call_.file.rank))
      unpack(call_.access.memory.pattern, call_.access.memory.base, range.begin, range.end, packed);
    else if (packed != call_.direct_memory() + range.begin)
      std::memcpy(call_.direct_memory() + range.begin, packed,
                  static_cast<std::size_t>(range.bytes()));
  }

  // A window whose span the storage is working on.
  struct UnderWay {
    Shares shares;
    std::optional<Scratch::Lease> window;
    bool started = false;
  };

  // Waits for what is under way in `slot`.
  void conclude(int slot) {
    UnderWay& way = under_way_[slot];
    if (way.started) note(finish_span(call_, way.shares, slot));
    way.started = false;
  }

  static int slot_of(std::int64_t round) { return static_cast<int>(round % Background::kSlots); }

  // The owned interval of a round. REQUIRES: windows of one interval, which all strategies here
  // make.
  Extent owned_interval(std::int64_t round) const {
    Extent whole;
    if (call_.plan().owned)
      for_each_owned(*call_.plan().owned, round, [&](Extent interval) { whole = interval; });
    return whole;
  }

  void write_round(std::int64_t round) {
    for (const Phase& phase : call_.plan().phases)
      exchange(parcels(phase.ships, round), parcels(phase.lands, round));
    const Extent interval = owned_interval(round);
    if (interval.bytes > 0 && !failure_) write_window(interval, slot_of(round));
  }

  void write_window(Extent interval, int slot) {
    conclude(slot);
    UnderWay& way = under_way_[slot];
    way.window.reset();
    way.shares = shares_in(call_, interval);
    const Shares& shares = way.shares;
    if (shares.list.empty() || failure_) return;
    way.window.emplace(call_.state.windows[slot].borrow(shares.sparse ? 1 : shares.span.bytes));
    if (!way.window->granted()) return fail_memory();
    if (!shares.sparse) note(prepare_window(call_, shares, way.window->data()));
    std::vector<Source> sources;
    for (const Share& share : shares.list) {
      if (failure_) return;
      const Parcel parcel{share.origin, share.origin, share.packed};
      const std::byte* packed = in_place(parcel);
      if (packed == nullptr) {
        std::byte* together = memory_.take(share.bytes());
        if (together == nullptr) return fail_memory();
        copy_out(parcel, together);
        packed = together;
      }
      if (shares.sparse)
        note(write_pieces(call_, share, packed));
      else
        sources.push_back({share.pattern, share.begin, share.end, packed});
    }
    if (shares.sparse || failure_) return;
    unpack_many(sources, way.window->data() - shares.span.offset);
    start_span(call_, shares, way.window->data(), slot);
    way.started = true;
  }

  void start_reads(std::int64_t round) {
    const int slot = slot_of(round);
    UnderWay& way = under_way_[slot];
    way.window.reset();
    way.shares = {};
    const Extent interval = owned_interval(round);
    if (interval.bytes <= 0) return;
    way.shares = shares_in(call_, interval);
    if (way.shares.list.empty() || way.shares.sparse || failure_) return;
    way.window.emplace(call_.state.windows[slot].borrow(way.shares.span.bytes));
    if (!way.window->granted()) return fail_memory();
    start_span(call_, way.shares, way.window->data(), slot);
    way.started = true;
  }

  void read_round(std::int64_t round) {
    const int slot = slot_of(round);
    conclude(slot);
    distribute(under_way_[slot]);
    const auto& phases = call_.plan().phases;
    for (auto phase = phases.rbegin(); phase != phases.rend(); ++phase)
      exchange(parcels(phase->lands, round), parcels(phase->ships, round));
  }

  // Cuts a window that was read into what each origin gets.
  void distribute(const UnderWay& way) {
    const Shares& shares = way.shares;
    if (shares.list.empty()) return;
    std::byte* packed = memory_.take(shares.bytes);
    if (packed == nullptr) return fail_memory();
    std::vector<Sink> sinks;
    std::byte* slot = packed;
    for (const Share& share : shares.list) {
      if (shares.sparse && !failure_) note(read_pieces(call_, share, slot));
      sinks.push_back({share.pattern, share.begin, share.end, slot});
      slot += share.bytes();
    }
    if (!shares.sparse && !failure_) pack_many(sinks, way.window->data() - shares.span.offset);
    slot = packed;
    for (const Share& share : shares.list) {
      if (share.origin == call_.file.rank)
        deliver(share.packed, slot);
      else
        holdings_.add(share.origin, share.packed, slot);
      slot += share.bytes();
    }
  }

  UnderWay under_way_[Background::kSlots];
  RunningCall& call_;
  std::optional<Error> failure_;
  Holdings holdings_;
  RoundMemory memory_;
};

}  // namespace

std::optional<Error> run_messages(RunningCall& call) { return MessageRun(call).run(); }

}  // namespace tutti
