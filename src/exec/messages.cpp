#include "exec/messages.hpp"

#include <algorithm>

#include "exec/listed_access.hpp"
#include "exec/parcel_exchange.hpp"
#include "exec/turns.hpp"
#include "exec/window_access.hpp"
#include "pattern/interleave.hpp"

namespace tutti {

namespace {

class MessageRun {
 public:
  explicit MessageRun(RunningCall& call) : call_(call), parcels_(call, failure_) {}

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
      parcels_.end_round();
    }
    for (int slot = 0; slot < Background::kSlots; ++slot) conclude(slot);
    return failure_;
  }

 private:
  void note(const Status& done) {
    if (!done && !failure_) failure_ = done.error();
  }
  void fail_memory() { note(fail(ErrorKind::no_memory, "no memory for an exchange buffer")); }

  // A window that the storage is working on: one interval, or a list of parts.
  struct UnderWay {
    Shares shares;
    ListedParts parts;
    std::int64_t listed_bytes = 0;
    std::optional<Scratch::Lease> window;
    bool started = false;
  };

  // Waits for what is under way in `slot`.
  void conclude(int slot) {
    UnderWay& way = under_way_[slot];
    if (way.started)
      note(call_.plan().listed ? finish_parts(call_, way.listed_bytes, slot)
                               : finish_span(call_, way.shares, slot));
    way.started = false;
  }

  static int slot_of(std::int64_t round) { return static_cast<int>(round % Background::kSlots); }

  // The owned interval of a round. REQUIRES: a plan that is not listed.
  Extent owned_interval(std::int64_t round) const {
    Extent whole;
    for (const MovingWindow& owned : call_.plan().owned)
      for_each_owned(owned, round, [&](Extent interval) { whole = interval; });
    return whole;
  }

  void write_round(std::int64_t round) {
    for (const Phase& phase : call_.plan().phases)
      parcels_.exchange(round, phase.ships, phase.lands);
    if (call_.plan().listed) return in_turn(round, [&] { write_parts_of(round); });
    const Extent interval = owned_interval(round);
    if (interval.bytes > 0 && !failure_) write_window(interval, slot_of(round));
  }

  // An owner's access, between the words of those before and behind it where the plan is timed.
  template <class Act>
  void in_turn(std::int64_t round, const Act& act) {
    if (!call_.plan().timed) return act();
    Turns turns(call_);
    turns.await(round);
    act();
    const bool issued = call_.file.device->facts().asynchronous;
    if (!issued) conclude(slot_of(round));
    turns.pass(round, issued);
  }

  void write_parts_of(std::int64_t round) {
    const int slot = slot_of(round);
    conclude(slot);
    UnderWay& way = under_way_[slot];
    if (failure_ || !stage_parts(way, round)) return;
    std::byte* staging = way.window->data();
    note(prepare_parts(call_, way.parts, staging));
    for (const ListedPart& part : way.parts.list()) {
      std::vector<Source> sources;
      for (const Share& share : part.shares.list) {
        if (failure_) return;
        const std::byte* packed = parcels_.packed_share(share);
        if (packed != nullptr) sources.push_back({share.pattern, share.begin, share.end, packed});
      }
      if (failure_) return;
      unpack_many(sources, staging + part.at - part.shares.span.offset);
    }
    if (failure_) return;
    start_listed(way, slot);
  }

  void start_listed(UnderWay& way, int slot) {
    way.listed_bytes = start_parts(call_, way.parts, way.window->data(), slot);
    way.started = true;
  }

  // The parts of a round and a buffer for them; false where there are none, or no memory.
  bool stage_parts(UnderWay& way, std::int64_t round) {
    way.window.reset();
    way.parts.clear();
    add_owned(call_, round, way.parts);
    if (way.parts.empty()) return false;
    way.window.emplace(call_.state.windows[slot_of(round)].borrow(way.parts.staging_bytes()));
    if (way.window->granted()) return true;
    fail_memory();
    return false;
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
      const std::byte* packed = parcels_.packed_share(share);
      if (packed == nullptr) return;
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
    way.parts.clear();
    if (call_.plan().listed)
      return in_turn(round, [&] {
        if (!failure_ && stage_parts(way, round)) start_listed(way, slot);
      });
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
    const UnderWay& way = under_way_[slot];
    const std::byte* window = way.window ? way.window->data() : nullptr;
    if (!way.shares.list.empty()) parcels_.distribute(way.shares, window);
    for (const ListedPart& part : way.parts.list())
      parcels_.distribute(part.shares, window + part.at);
    const auto& phases = call_.plan().phases;
    for (auto phase = phases.rbegin(); phase != phases.rend(); ++phase)
      parcels_.exchange(round, phase->lands, phase->ships);
  }

  UnderWay under_way_[Background::kSlots];
  RunningCall& call_;
  std::optional<Error> failure_;
  ParcelExchange parcels_;
};

}  // namespace

std::optional<Error> run_messages(RunningCall& call) { return MessageRun(call).run(); }

}  // namespace tutti
