#include "inspect/inspector.hpp"

#include <algorithm>
#include <span>

#include "base/wall_clock.hpp"
#include "inspect/agreed_layout.hpp"
#include "inspect/descriptors.hpp"
#include "pattern/node.hpp"
#include "plan/coverage.hpp"
#include "plan/node_bytes.hpp"
#include "strategy/strategy.hpp"

namespace tutti {

namespace {

// All ranks propose the same entry, and the same shift where they care. Entry 0: no.
struct Agreement {
  std::int64_t entry = 0;
  std::int64_t shift = 0;
};

Agreement agreed_entry(const std::vector<CallCard>& cards) {
  Agreement agreed{cards[0].entry, 0};
  bool shift_known = false;
  for (const CallCard& card : cards) {
    if (card.entry == 0 || card.entry != agreed.entry) return {};
    if (card.any_shift != 0) continue;
    if (shift_known && card.shift != agreed.shift) return {};
    agreed.shift = card.shift;
    shift_known = true;
  }
  return agreed;
}

CallFacts facts_from(const InspectCall& call, const std::vector<CallCard>& cards,
                     StripeLayout layout) {
  CallFacts facts;
  facts.direction = cards[0].reading != 0 ? Direction::read : Direction::write;
  facts.hints = call.hints;
  facts.layout = std::move(layout);
  facts.maps_reads = std::all_of(cards.begin(), cards.end(),
                                 [](const CallCard& card) { return card.maps_reads != 0; });
  facts.server_cache = std::all_of(cards.begin(), cards.end(),
                                   [](const CallCard& card) { return card.server_cache != 0; });
  facts.nonblocking = std::all_of(cards.begin(), cards.end(),
                                  [](const CallCard& card) { return card.nonblocking != 0; });
  facts.single_reads = std::any_of(cards.begin(), cards.end(),
                                   [](const CallCard& card) { return card.single_reads != 0; });
  facts.any_order = std::all_of(cards.begin(), cards.end(),
                                [](const CallCard& card) { return card.any_order != 0; });
  for (std::size_t r = 0; r < cards.size(); ++r) {
    const CallCard& card = cards[r];
    facts.ranks.push_back({card.lower, card.upper, card.bytes, card.pieces, card.monotone != 0,
                           call.state.topology.node_of[r], is_small(card)});
  }
  return facts;
}

// Collective. Every rank's bytes on each I/O node to every rank.
Status learn_node_bytes(const InspectCall& call, const FileRange& mine, CallFacts& facts) {
  const std::int64_t nodes = facts.layout.io_nodes;
  const std::int64_t each = nodes * std::int64_t{sizeof(std::int64_t)};
  std::vector<std::int64_t> own = bytes_on_nodes(mine, facts.layout);
  own.resize(static_cast<std::size_t>(nodes), 0);
  const std::vector<std::int64_t> sizes(static_cast<std::size_t>(call.ranks), each);
  std::vector<std::int64_t> all(static_cast<std::size_t>(call.ranks * nodes));
  if (auto told = call.exchange.gather(std::as_bytes(std::span(own)), sizes,
                                       reinterpret_cast<std::byte*>(all.data()));
      !told)
    return told;
  for (std::size_t r = 0; r < facts.ranks.size(); ++r) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(r) * nodes;
    facts.ranks[r].on_node.assign(first, first + nodes);
  }
  return {};
}

bool leaves_no_hole(const Inspection& found) {
  std::vector<FileRange> ranges;
  for (const OriginStream& origin : found.origins)
    if (origin.bytes > 0) ranges.push_back({origin.stream, origin.first, origin.bytes});
  return union_covers(ranges, hull_of(found.plan.owned));
}

}  // namespace

Status tell_all(const InspectCall& call, const CallCard& mine, std::vector<CallCard>& cards) {
  CallCard stamped = mine;
  stamped.came_at = wall_seconds();
  return call.exchange.tell_all(std::as_bytes(std::span(&stamped, 1)),
                                reinterpret_cast<std::byte*>(cards.data()));
}

CallCard make_card(const InspectCall& call, const Access& access) {
  const FileRange& range = access.file;
  const RankFacts facts = facts_of(range);
  const auto proposal =
      call.state.cache.propose(access.direction, range, call.state.layout.period_bytes());
  CallCard card;
  card.entry = proposal.entry;
  card.shift = proposal.shift;
  card.any_shift = proposal.any_shift ? 1 : 0;
  card.layout = call.state.layout_print;
  card.reading = access.direction == Direction::read ? 1 : 0;
  card.first = range.first;
  card.bytes = range.bytes;
  card.lower = facts.lower;
  card.upper = facts.upper;
  card.pieces = facts.pieces;
  card.monotone = facts.monotone ? 1 : 0;
  if (range.bytes > 0) {
    card.shape = range.stream.node()->print;
    card.origin = range.stream.origin();
    if (call.state.sized_shape != card.shape) {
      call.state.sized_shape = card.shape;
      call.state.sized_bytes = descriptor_bytes(range.stream);
    }
    card.descriptor_bytes = call.state.sized_bytes;
  }
  return card;
}

Result<Outlook> inspect(const InspectCall& call, const Access& access, const CallCard& mine) {
  Outlook outlook;
  outlook.cards.resize(static_cast<std::size_t>(call.ranks));
  const double began = wall_seconds();
  if (auto told = tell_all(call, mine, outlook.cards); !told)
    return tl::make_unexpected(told.error());
  const double told_at = wall_seconds();
  call.counters.agree_s += told_at - began;
  if (std::any_of(outlook.cards.begin(), outlook.cards.end(),
                  [](const CallCard& card) { return card.refused != 0; }))
    return outlook;

  if (const Agreement agreed = agreed_entry(outlook.cards); agreed.entry != 0) {
    outlook.inspection = call.state.cache.use(agreed.entry);
    outlook.shift = agreed.shift;
  }
  if (outlook.inspection) {
    outlook.planned_before = true;
    ++call.counters.plan_hits;
    call.counters.inspect_s += wall_seconds() - told_at;
    return outlook;
  }

  ++call.counters.plan_misses;
  const double computed = thread_seconds();
  auto layout = agreed_layout(call, outlook.cards);
  if (!layout) return tl::make_unexpected(layout.error());
  auto found = std::make_shared<Inspection>();
  found->facts = facts_from(call, outlook.cards, std::move(*layout));
  const Strategy& strategy = choose_strategy(found->facts);
  if (strategy.by_io_node) {
    if (auto learned = learn_node_bytes(call, access.file, found->facts); !learned)
      return tl::make_unexpected(learned.error());
  }
  found->plan = strategy.plan(found->facts, call.rank);
  call.counters.plan_bytes = plan_bytes(found->plan);
  if (found->plan.independent) {
    found->origins.resize(outlook.cards.size());
    found->origins[static_cast<std::size_t>(call.rank)] = {access.file.stream, access.file.first,
                                                           access.file.bytes, 0};
  } else {
    if (auto learned = learn_origins(call, access.file, outlook.cards, *found); !learned)
      return tl::make_unexpected(learned.error());
    found->covered = found->facts.direction == Direction::write && leaves_no_hole(*found);
  }
  call.counters.plan_evictions += call.state.cache.insert(access.direction, access.file, found);
  outlook.inspection = std::move(found);
  call.counters.inspect_cpu_s += thread_seconds() - computed;
  call.counters.inspect_s += wall_seconds() - told_at;
  return outlook;
}

}  // namespace tutti
