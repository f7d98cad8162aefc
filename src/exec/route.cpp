#include "exec/route.hpp"

#include <algorithm>

#include "exec/own_pieces.hpp"

namespace tutti {

namespace {

bool is_staged(const CallCard& card) { return card.bytes > 0 && card.direct == 0; }

// The way that rank 0 votes for.
Route writing_route(const RunningCall& call) {
  const auto& cards = call.outlook.cards;
  std::int64_t bytes = 0;
  for (const CallCard& card : cards) bytes += card.bytes;
  if (cards.size() == 1 || bytes < Carrying::kLeastBytes) return {Transport::peer_memory, {}};
  const CarryingKind kind{.staged = std::any_of(cards.begin(), cards.end(), is_staged),
                          .keeps_pages = call.state.pages.keeps()};
  const CarryingWay way = Carrying::voted(cards[0].carrying, kind);
  return {way == kFetched ? Transport::peer_memory : Transport::arena, Carried{kind, way, bytes}};
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
  if (arena && reads_own_pages(call)) return {Transport::own_pages, {}};
  if (arena && (wish == TransportChoice::arena || call.reading() || !peers))
    return {Transport::arena, {}};
  return peers ? writing_route(call) : Route{Transport::messages, {}};
}

}  // namespace tutti
