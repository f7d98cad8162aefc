#include "inspect/descriptors.hpp"

#include <algorithm>
#include <set>

#include "mpi/agree.hpp"
#include "mpi/call.hpp"
#include "mpi/host_completion.hpp"
#include "pattern/node.hpp"
#include "pattern/serialise.hpp"

namespace tutti {

namespace {

// What may travel to everybody: larger patterns are sliced.
constexpr std::int64_t kSmallBytes = 4096;
constexpr std::size_t kTableEntries = 4096;
constexpr int kSizeTag = 1;
constexpr int kSliceTag = 2;

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
  std::vector<int> counts(cards.size(), 0);
  std::vector<int> starts(cards.size(), 0);
  int total = 0;
  for (const int r : sending) {
    const auto i = static_cast<std::size_t>(r);
    counts[i] = static_cast<int>(cards[i].descriptor_bytes);
    starts[i] = total;
    total += counts[i];
  }
  std::vector<std::byte> own;
  const bool sends = counts[static_cast<std::size_t>(call.rank)] > 0;
  if (sends) {
    serialise(mine.stream.shifted(-mine.stream.origin()), own);
    ++call.counters.descriptors_sent;
    call.counters.descriptor_bytes += std::ssize(own);
  }
  std::vector<std::byte> all(static_cast<std::size_t>(total));
  if (auto done =
          mpi_status(PMPI_Allgatherv(own.data(), static_cast<int>(own.size()), MPI_BYTE, all.data(),
                                     counts.data(), starts.data(), MPI_BYTE, call.comm),
                     "MPI_Allgatherv");
      !done)
    return done;
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

// A slice on its way: its size, where it starts in the packed bytes, and its pattern.
struct Slice {
  std::int64_t head[2] = {0, 0};
  std::vector<std::byte> body;
};

Slice cut_slice(const FileRange& mine, Extent interval) {
  const OriginStream whole{mine.stream, mine.first, mine.bytes, 0};
  const PackedRange range = packed_range(whole, interval);
  Slice slice;
  serialise(mine.stream.slice(mine.first + range.begin, mine.first + range.end), slice.body);
  slice.head[0] = std::ssize(slice.body);
  slice.head[1] = range.begin;
  return slice;
}

// Collective: large descriptors go in slices to the owners whose domain they meet.
Status share_slices(const InspectCall& call, const FileRange& mine,
                    const std::vector<CallCard>& cards, Inspection& found) {
  const auto me = static_cast<std::size_t>(call.rank);
  std::vector<Slice> out;
  std::vector<MPI_Request> requests;
  if (!found.plan.phases.empty() && !is_small(cards[me])) {
    const auto& ships = found.plan.phases[0].ships;
    out.reserve(ships.size());
    for (const Piece& piece : ships) {
      if (!meets(cards[me], whole_way(piece.window))) continue;
      Slice& slice = out.emplace_back(cut_slice(mine, whole_way(piece.window)));
      requests.resize(requests.size() + 2);
      PMPI_Isend(slice.head, 2, MPI_INT64_T, piece.peer, kSizeTag, call.comm,
                 &requests[requests.size() - 2]);
      PMPI_Isend(slice.body.data(), static_cast<int>(slice.body.size()), MPI_BYTE, piece.peer,
                 kSliceTag, call.comm, &requests[requests.size() - 1]);
      ++call.counters.descriptors_sent;
      call.counters.descriptor_bytes += slice.head[0];
    }
  }
  Status outcome;
  if (found.plan.owned) {
    const Extent domain = whole_way(*found.plan.owned);
    for (std::size_t r = 0; r < cards.size(); ++r) {
      if (is_small(cards[r]) || r == me || !meets(cards[r], domain)) continue;
      std::int64_t head[2];
      PMPI_Recv(head, 2, MPI_INT64_T, static_cast<int>(r), kSizeTag, call.comm, MPI_STATUS_IGNORE);
      std::vector<std::byte> body(static_cast<std::size_t>(head[0]));
      PMPI_Recv(body.data(), static_cast<int>(head[0]), MPI_BYTE, static_cast<int>(r), kSliceTag,
                call.comm, MPI_STATUS_IGNORE);
      std::span<const std::byte> rest(body);
      auto pattern = deserialise(rest);
      if (!pattern) {
        outcome = fail(ErrorKind::internal, pattern.error().message);
        continue;
      }
      found.origins[r] = {*pattern, 0, pattern->size(), head[1]};
    }
  }
  host_completion().wait_all(static_cast<int>(requests.size()), requests.data(),
                             MPI_STATUSES_IGNORE);
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
  return agree(call.comm, received ? std::nullopt : std::optional(received.error()));
}

}  // namespace tutti
