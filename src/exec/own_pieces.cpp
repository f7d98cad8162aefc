#include "exec/own_pieces.hpp"

#include <algorithm>

#include "base/wall_clock.hpp"
#include "exec/window_access.hpp"
#include "pattern/copy.hpp"
#include "pattern/stream_copy.hpp"

namespace tutti {

namespace {

constexpr std::int64_t kStreamedBytes = 1 << 20;
// Shorter pieces share their cache lines with other ranks' pieces: everybody would read them all.
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kPartBytes = 1 << 20;

// Where byte `packed` of this rank is in its stream.
std::int64_t stream_byte(const OriginStream& mine, std::int64_t packed) {
  return packed - mine.packed_at + mine.first;
}

Status read_part(RunningCall& call, PackedRange range) {
  const int me = call.file.rank;
  const bool direct = call.memory_is_direct(me);
  const auto room = call.state.slots.borrow(direct ? 1 : range.bytes());
  if (!room.granted()) return fail(ErrorKind::no_memory, "no memory for a window");
  const OriginStream& mine = call.origins()[static_cast<std::size_t>(me)];
  const std::int64_t begin = stream_byte(mine, range.begin);
  const std::int64_t end = stream_byte(mine, range.end);
  const std::int64_t first = mine.stream.offset_of(begin);
  const Extent wanted{first + call.outlook.shift, mine.stream.offset_of(end - 1) + 1 - first};
  if (call.state.pages.see(call.file.device, wanted)) {
    const Status seen = call.state.pages.view().look(
        wanted, [&](const std::byte* at) { pick_own(call, range, at - first, room.data()); });
    ++call.counters().device_operations;
    if (seen) call.counters().device_bytes += range.bytes();
    if (seen) return {};
  }
  std::byte* packed = direct ? call.direct_memory() + range.begin : room.data();
  const Status read = read_pieces(call, {me, &mine.stream, begin, end, range}, packed);
  if (read && !direct) deliver_own(call, range, packed);
  return read;
}

}  // namespace

bool streams_own(const RunningCall& call) { return call.access.file.bytes >= kStreamedBytes; }

void pick_own(const RunningCall& call, PackedRange range, const std::byte* base, std::byte* room) {
  const OriginStream& mine = call.origins()[static_cast<std::size_t>(call.file.rank)];
  const std::int64_t begin = stream_byte(mine, range.begin);
  const std::int64_t end = begin + range.bytes();
  if (!call.memory_is_direct(call.file.rank)) {
    pack(mine.stream, base, begin, end, room);
    return deliver_own(call, range, room);
  }
  std::byte* memory = call.direct_memory() + range.begin;
  if (streams_own(call)) return pack_streaming(mine.stream, base, begin, end, memory);
  pack(mine.stream, base, begin, end, memory);
}

void deliver_own(const RunningCall& call, PackedRange range, const std::byte* packed) {
  const auto& [pattern, base] = call.access.memory;
  if (streams_own(call)) return unpack_streaming(pattern, base, range.begin, range.end, packed);
  unpack(pattern, base, range.begin, range.end, packed);
}

bool reads_own_pages(const RunningCall& call) {
  if (!call.reading() || !call.state.pages.keeps()) return false;
  std::int64_t bytes = 0;
  std::int64_t pieces = 0;
  const Extent range = accessed_range(call.outlook.cards);
  for (const CallCard& card : call.outlook.cards) {
    if (card.maps_reads == 0) return false;
    if (card.bytes <= 0) continue;
    bytes += card.bytes;
    pieces += card.pieces;
  }
  return pieces > 0 && bytes / pieces >= kLineBytes && bytes >= range.bytes / 2;
}

std::optional<Error> read_own_pages(RunningCall& call) {
  const double began = wall_seconds();
  Extent everything = accessed_range(call.outlook.cards);
  everything.offset -= call.outlook.shift;
  const PackedRange all = call.range_of(call.file.rank, everything);
  for (std::int64_t at = all.begin; at < all.end; at += kPartBytes) {
    const Status read = read_part(call, {at, std::min(at + kPartBytes, all.end)});
    if (!read) return read.error();
  }
  call.counters().access_s += wall_seconds() - began;
  return std::nullopt;
}

}  // namespace tutti
