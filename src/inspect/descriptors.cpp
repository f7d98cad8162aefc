#include "inspect/descriptors.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "pattern/node.hpp"
#include "pattern/serialise.hpp"

namespace tutti {

namespace {

// What may travel to everybody: larger patterns are sliced.
constexpr std::int64_t kSmallBytes = 4096;
constexpr std::size_t kTableEntries = 4096;
constexpr std::int64_t kHeadBytes = sizeof(std::int64_t);  // of a slice on its way

// Entries in the lists of a tree, each of which takes at least two bytes.
std::int64_t list_entries(const pattern_detail::Node& node) {
  std::int64_t entries = std::ssize(node.displacements);
  for (const auto& child : node.children) entries += list_entries(*child);
  return entries;
}

// Which ranks send their descriptor to everybody: the lowest one of each shape not known yet.
std::vector<int> senders(const DescriptorTable& known, const std::vector<CallCard>& cards) {
  std::vector<int> sending;
  std::set<Fingerprint> seen;
  for (std::size_t r = 0; r < cards.size(); ++r) {
    const CallCard& card = cards[r];
    if (card.bytes == 0 || !is_small(card) || known.contains(card.shape)) continue;
    if (seen.insert(card.shape).second) sending.push_back(static_cast<int>(r));
  }
  return sending;
}

// Collective: every rank gets the shapes of `sending`.
Status share_small(const InspectCall& call, const FileRange& mine,
                   const std::vector<CallCard>& cards, const std::vector<int>& sending) {
  if (sending.empty()) return {};
  std::vector<std::int64_t> sizes(cards.size(), 0);
  std::int64_t total = 0;
  for (const int r : sending) {
    const auto i = static_cast<std::size_t>(r);
    sizes[i] = cards[i].descriptor_bytes;
    total += sizes[i];
  }
  std::vector<std::byte> own;
  const bool sends = sizes[static_cast<std::size_t>(call.rank)] > 0;
  if (sends) {
    serialise(mine.stream.shifted(-mine.stream.origin()), own);
    ++call.counters.descriptors_sent;
    call.counters.descriptor_bytes += std::ssize(own);
  }
  std::vector<std::byte> all(static_cast<std::size_t>(total));
  if (auto done = call.exchange.gather(own, sizes, all.data()); !done) return done;
  std::span<const std::byte> rest(all);
  for (const int r : sending) {
    auto pattern = deserialise(rest);
    if (!pattern) return fail(ErrorKind::internal, pattern.error().message);
    call.state.descriptors.emplace(cards[static_cast<std::size_t>(r)].shape, *pattern);
  }
  return {};
}

// The ranks that `pieces` name as peers, and the file interval that moves between each of them and
// this rank over all rounds; in order of peer.
struct Partner {
  int peer = 0;
  Extent way;
};
std::vector<Partner> partners(const std::vector<Piece>& pieces) {
  std::vector<Partner> list;
  for (const Piece& piece : pieces) {
    const Extent way = hull_of({&piece.window, 1});
    if (list.empty() || list.back().peer != piece.peer) {
      list.push_back({piece.peer, way});
      continue;
    }
    Extent& all = list.back().way;
    const std::int64_t end = std::max(all.end(), way.end());
    all.offset = std::min(all.offset, way.offset);
    all.bytes = end - all.offset;
  }
  return list;
}

// A slice on its way: where it starts in the packed bytes, then its pattern.
Bytes cut_slice(const FileRange& mine, Extent interval) {
  const OriginStream whole{mine.stream, mine.first, mine.bytes, 0};
  const PackedRange range = packed_range(whole, interval);
  Bytes slice(sizeof range.begin);
  std::memcpy(slice.data(), &range.begin, sizeof range.begin);
  serialise(mine.stream.slice(mine.first + range.begin, mine.first + range.end), slice);
  return slice;
}

Result<OriginStream> read_slice(const Bytes& slice) {
  std::int64_t begin = 0;
  std::memcpy(&begin, slice.data(), sizeof begin);
  auto rest = std::span<const std::byte>(slice).subspan(sizeof begin);
  auto pattern = deserialise(rest);
  if (!pattern) return fail(ErrorKind::internal, pattern.error().message);
  return OriginStream{*pattern, 0, pattern->size(), begin};
}

// Collective: large descriptors go in slices to the owners whose domain they meet.
Status share_slices(const InspectCall& call, const FileRange& mine,
                    const std::vector<CallCard>& cards, Inspection& found) {
  const auto me = static_cast<std::size_t>(call.rank);
  const Phase none;
  const Phase& direct = found.plan.phases.empty() ? none : found.plan.phases[0];
  std::vector<Letter> letters;
  if (!is_small(cards[me])) {
    for (const Partner& owner : partners(direct.ships)) {
      letters.push_back({owner.peer, cut_slice(mine, owner.way)});
      ++call.counters.descriptors_sent;
      call.counters.descriptor_bytes += std::ssize(letters.back().body) - kHeadBytes;
    }
  }
  std::vector<int> from;
  for (const Partner& origin : partners(direct.lands))
    if (!is_small(cards[static_cast<std::size_t>(origin.peer)])) from.push_back(origin.peer);
  const auto received = call.exchange.deliver(letters, from);
  if (!received) return tl::make_unexpected(received.error());
  Status outcome;
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto origin = read_slice((*received)[i]);
    if (origin)
      found.origins[static_cast<std::size_t>(from[i])] = std::move(*origin);
    else
      outcome = tl::make_unexpected(origin.error());
  }
  return outcome;
}

}  // namespace

std::int64_t descriptor_bytes(const Pattern& stream) {
  const std::int64_t entries = list_entries(*stream.node());
  if (entries > kSmallBytes) return entries * 2;
  std::vector<std::byte> bytes;
  serialise(stream.shifted(-stream.origin()), bytes);
  return std::ssize(bytes);
}

bool is_small(const CallCard& card) { return card.descriptor_bytes <= kSmallBytes; }

Status learn_origins(const InspectCall& call, const FileRange& mine,
                     const std::vector<CallCard>& cards, Inspection& found) {
  found.origins.resize(cards.size());
  found.knows_all = std::all_of(cards.begin(), cards.end(), is_small);
  if (call.state.descriptors.size() > kTableEntries) call.state.descriptors.clear();
  const auto sending = senders(call.state.descriptors, cards);
  if (auto shared = share_small(call, mine, cards, sending); !shared) return shared;
  for (std::size_t r = 0; r < cards.size(); ++r) {
    const CallCard& card = cards[r];
    if (card.bytes == 0) continue;
    if (static_cast<int>(r) == call.rank) {
      found.origins[r] = {mine.stream, mine.first, mine.bytes, 0};
    } else if (is_small(card)) {
      const auto known = call.state.descriptors.find(card.shape);
      if (known == call.state.descriptors.end())
        return fail(ErrorKind::internal, "a descriptor is missing");
      found.origins[r] = {known->second.shifted(card.origin), card.first, card.bytes, 0};
    }
  }
  // Whether a large descriptor is among them is known to all, so all agree or none does.
  const bool slices =
      std::any_of(cards.begin(), cards.end(), [](const CallCard& c) { return !is_small(c); });
  if (!slices) return {};
  const Status received = share_slices(call, mine, cards, found);
  return call.exchange.agree(received ? std::nullopt : std::optional(received.error()));
}

}  // namespace tutti
