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

// The file interval that a piece moves through, over all rounds.
Extent whole_way(const MovingWindow& window) {
  return {window.first.start, window.end - window.first.start};
}

bool meets(const CallCard& card, Extent interval) {
  return card.bytes > 0 && card.lower < interval.end() && card.upper > interval.offset;
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
  std::vector<Letter> letters;
  if (!found.plan.phases.empty() && !is_small(cards[me])) {
    for (const Piece& piece : found.plan.phases[0].ships) {
      if (!meets(cards[me], whole_way(piece.window))) continue;
      letters.push_back({piece.peer, cut_slice(mine, whole_way(piece.window))});
      ++call.counters.descriptors_sent;
      call.counters.descriptor_bytes += std::ssize(letters.back().body) - kHeadBytes;
    }
  }
  std::vector<int> from;
  if (found.plan.owned) {
    const Extent domain = whole_way(*found.plan.owned);
    for (std::size_t r = 0; r < cards.size(); ++r)
      if (!is_small(cards[r]) && r != me && meets(cards[r], domain))
        from.push_back(static_cast<int>(r));
  }
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
