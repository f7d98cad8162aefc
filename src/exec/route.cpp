#include "exec/route.hpp"

#include <algorithm>

#include "exec/own_pieces.hpp"

namespace tutti {

namespace {

// A call with fewer bytes, of all ranks, says nothing about how to carry many: they are fetched.
constexpr std::int64_t kLeastCarried = 1 << 20;
constexpr std::int64_t kShortPiece = 64;
constexpr std::int64_t kLongPiece = 4096;

// Whether memory has gaps, whether pages are kept, and how long pieces are: not longer than a cache
// line, not longer than a page, or longer.
int kind_of(const RunningCall& call, std::int64_t mean_piece) {
  const int length = mean_piece <= kShortPiece ? 0 : mean_piece <= kLongPiece ? 1 : 2;
  return (anybody_is_staged(call.outlook.cards) ? 1 : 0) + (call.state.pages.keeps() ? 2 : 0) +
         4 * length;
}

Route writing_route(const RunningCall& call) {
  const auto& cards = call.outlook.cards;
  std::int64_t bytes = 0;
  std::int64_t pieces = 0;
  for (const CallCard& card : cards) {
    bytes += card.bytes;
    pieces += card.pieces;
  }
  if (cards.size() == 1 || bytes < kLeastCarried) return {Transport::peer_memory, {}};
  const int kind = kind_of(call, bytes / std::max<std::int64_t>(pieces, 1));
  const int way = VotedWays::voted(cards[0].carrying_votes, kind);
  return {way == 0 ? Transport::peer_memory : Transport::arena, Carried{kind, way, bytes}};
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
