#include "exec/parcel_exchange.hpp"

#include <algorithm>
#include <cstring>

#include "base/wall_clock.hpp"
#include "pattern/copy.hpp"
#include "pattern/interleave.hpp"

namespace tutti {

namespace {

constexpr int kDataTag = 3;

// Calls visit(peer, parcels of that peer, their bytes).
template <class Visit>
void for_each_peer(const std::vector<Parcel>& list, const Visit& visit) {
  for (std::size_t i = 0; i < list.size();) {
    std::size_t end = i;
    std::int64_t bytes = 0;
    for (; end < list.size() && list[end].peer == list[i].peer; ++end)
      bytes += list[end].range.bytes();
    visit(list[i].peer, std::span(list).subspan(i, end - i), bytes);
    i = end;
  }
}

}  // namespace

// The non-empty parcels of `pieces` in this round, by peer and origin: the order both sides use.
std::vector<Parcel> ParcelExchange::parcels(const std::vector<Piece>& pieces,
                                            std::int64_t round) const {
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

// Where a parcel lies in one piece already, or null.
const std::byte* ParcelExchange::in_place(const Parcel& parcel) const {
  if (parcel.origin == call_.file.rank && !call_.reading())
    return call_.memory_is_direct(call_.file.rank) ? call_.direct_memory() + parcel.range.begin
                                                   : nullptr;
  return holdings_.find(parcel.origin, parcel.range);
}

void ParcelExchange::copy_out(const Parcel& parcel, std::byte* to) const {
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
bool ParcelExchange::without_message(const Parcel& parcel) const {
  return call_.plan().phases.size() == 1 && call_.state.peers.reaches(parcel.peer) &&
         call_.memory_is_direct(parcel.origin);
}

std::uint64_t ParcelExchange::address_of(const Parcel& parcel) const {
  return call_.outlook.cards[static_cast<std::size_t>(parcel.origin)].memory_address +
         static_cast<std::uint64_t>(parcel.range.begin);
}

// Takes the parcels that need no message out of `list`.
std::vector<Parcel> ParcelExchange::take_near(std::vector<Parcel>& list) const {
  std::vector<Parcel> near;
  std::erase_if(list, [&](const Parcel& parcel) {
    if (!without_message(parcel)) return false;
    near.push_back(parcel);
    return true;
  });
  return near;
}

// A write's owner.
void ParcelExchange::pull(const Parcel& parcel) {
  std::byte* landed = memory_.take(parcel.range.bytes());
  if (landed == nullptr) return fail_memory();
  iovec here{landed, static_cast<std::size_t>(parcel.range.bytes())};
  note(call_.state.peers.pull(parcel.peer, address_of(parcel), {&here, 1}));
  call_.counters().bytes_pulled += parcel.range.bytes();
  holdings_.add(parcel.origin, parcel.range, landed);
}

// A read's owner.
void ParcelExchange::push(const Parcel& parcel) {
  if (failure_) return;
  const std::byte* ready = in_place(parcel);
  if (ready == nullptr)
    return note(fail(ErrorKind::internal, "bytes for a rank of this node lie in several pieces"));
  iovec here{const_cast<std::byte*>(ready), static_cast<std::size_t>(parcel.range.bytes())};
  note(call_.state.peers.push(parcel.peer, address_of(parcel), {&here, 1}));
  call_.counters().bytes_pulled += parcel.range.bytes();
}

void ParcelExchange::start_sends(const std::vector<Parcel>& list, Mailbag& bag) {
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

void ParcelExchange::start_receives(const std::vector<Parcel>& list, Mailbag& bag,
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
std::byte* ParcelExchange::landing_place(std::span<const Parcel> some, std::int64_t bytes) {
  const bool own = call_.reading() && some.size() == 1 && some[0].origin == call_.file.rank &&
                   call_.memory_is_direct(call_.file.rank);
  return own ? call_.direct_memory() + some[0].range.begin : memory_.take(bytes);
}

void ParcelExchange::exchange(std::int64_t round, const std::vector<Piece>& out_pieces,
                              const std::vector<Piece>& in_pieces) {
  std::vector<Parcel> out = parcels(out_pieces, round);
  std::vector<Parcel> in = parcels(in_pieces, round);
  const double began = wall_seconds();
  std::vector<Arrival> arrivals;
  const Topology& topology = call_.state.inspector.topology;
  Mailbag bag(call_.file.comm.get(), kDataTag, call_.counters(),
              topology.one_node ? std::span<const std::int32_t>() : topology.node_of,
              call_.talk.caller());
  // The owner moves them; the other side need not do anything.
  take_near(call_.reading() ? in : out);
  const std::vector<Parcel> near = take_near(call_.reading() ? out : in);
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
void ParcelExchange::deliver(PackedRange range, const std::byte* packed) {
  if (failure_) return;
  if (!call_.memory_is_direct(call_.file.rank))
    unpack(call_.access.memory.pattern, call_.access.memory.base, range.begin, range.end, packed);
  else if (packed != call_.direct_memory() + range.begin)
    std::memcpy(call_.direct_memory() + range.begin, packed,
                static_cast<std::size_t>(range.bytes()));
}

// A write's share in one piece; null when memory is short.
const std::byte* ParcelExchange::packed_share(const Share& share) {
  const Parcel parcel{share.origin, share.origin, share.packed};
  if (const std::byte* packed = in_place(parcel)) return packed;
  std::byte* together = memory_.take(share.bytes());
  if (together == nullptr)
    fail_memory();
  else
    copy_out(parcel, together);
  return together;
}

// Cuts a window that was read into what each origin gets.
void ParcelExchange::distribute(const Shares& shares, const std::byte* window) {
  std::byte* packed = memory_.take(shares.bytes);
  if (packed == nullptr) return fail_memory();
  std::vector<Sink> sinks;
  std::byte* slot = packed;
  for (const Share& share : shares.list) {
    if (shares.sparse && !failure_) note(read_pieces(call_, share, slot));
    sinks.push_back({share.pattern, share.begin, share.end, slot});
    slot += share.bytes();
  }
  if (!shares.sparse && !failure_) pack_many(sinks, window - shares.span.offset);
  slot = packed;
  for (const Share& share : shares.list) {
    if (share.origin == call_.file.rank)
      deliver(share.packed, slot);
    else
      holdings_.add(share.origin, share.packed, slot);
    slot += share.bytes();
  }
}

}  // namespace tutti
