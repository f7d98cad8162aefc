#include "exec/route.hpp"

#include <algorithm>

#include "exec/own_pieces.hpp"

namespace tutti {

namespace {

CarryingKind kind_of(const RunningCall& call) {
  const auto& cards = call.outlook.cards;
  const bool staged = std::any_of(cards.begin(), cards.end(), [](const CallCard& card) {
    return card.bytes > 0 && card.direct == 0;
  });
  return {call.reading(), staged, call.state.pages.keeps()};
}

// The way that rank 0 votes for.
Route voted_route(const RunningCall& call, Transport usual, Transport other) {
  std::int64_t bytes = 0;
  for (const CallCard& card : call.outlook.cards) bytes += card.bytes;
  if (bytes < Carrying::kLeastBytes) return {usual, {}};
  const CarryingKind kind = kind_of(call);
  const CarryingWay way = Carrying::voted(call.outlook.cards[0].carrying, kind);
  return {way == kUsual ? usual : other, Carried{kind, way, bytes}};
}

Route reading_route(const RunningCall& call, bool may_choose) {
  if (reads_own_pages(call)) return {Transport::own_pages, {}};
  if (!may_choose || !could_read_own_pages(call)) return {Transport::arena, {}};
  return voted_route(call, Transport::arena, Transport::own_pages);
}

}  // namespace

// Ranks of one node need no messages for a direct exchange: bytes pass through memory that all map,
// or owners fetch what is written from the memory of its ranks. Writing to another process costs
// more than either.
Route route_of(const RunningCall& call) {
  const TransportChoice wish = call.file.hints.transport;
  if (call.plan().phases.size() > 1 || call.plan().timed) return {Transport::messages, {}};
  // Windows of several pieces do not go through the arena.
  const bool arena =
      call.state.arena.available() && call.state.node.available() && !call.plan().listed;
  const bool peers = call.state.peers.available() && call.state.inspector.topology.one_node;
  if (peers && (wish == TransportChoice::shared || !arena)) return {Transport::peer_memory, {}};
  if (arena && call.reading()) return reading_route(call, wish == TransportChoice::automatic);
  if (arena && (wish == TransportChoice::arena || !peers)) return {Transport::arena, {}};
  if (!peers) return {Transport::messages, {}};
  return voted_route(call, Transport::peer_memory, Transport::arena);
}

}  // namespace tutti
