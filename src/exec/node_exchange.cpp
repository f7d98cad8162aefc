#include "exec/node_exchange.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace tutti {

namespace {

// Bytes in the memory of the rank that says so.
struct Place {
  std::uint64_t address = 0;
  std::int64_t bytes = 0;
};

Place place_of(const void* data, std::size_t bytes) {
  return {reinterpret_cast<std::uint64_t>(data), static_cast<std::int64_t>(bytes)};
}

Status fetch(const PeerMemory& peers, int rank, const Place& place, void* into) {
  if (place.bytes == 0) return {};
  iovec here{into, static_cast<std::size_t>(place.bytes)};
  return peers.pull(rank, place.address, {&here, 1});
}

template <class Word>
std::vector<Word> gather_words(NodeBlock& node, const Word& mine) {
  std::vector<Word> all(static_cast<std::size_t>(node.ranks()));
  node.gather(std::as_bytes(std::span(&mine, 1)), reinterpret_cast<std::byte*>(all.data()));
  return all;
}

// Collective. Nobody lets go of what others still read, and all fail where one does.
Status settle(NodeBlock& node, const Status& mine) {
  const auto all = gather_words(node, std::int64_t{mine ? 0 : 1});
  if (std::all_of(all.begin(), all.end(), [](std::int64_t failed) { return failed == 0; }))
    return {};
  if (!mine) return mine;
  return fail(ErrorKind::internal, "a process on this node cannot reach another's memory");
}

}  // namespace

Status NodeExchange::tell_all(std::span<const std::byte> mine, std::byte* all) {
  node_.gather(mine, all);
  return {};
}

Status NodeExchange::gather(std::span<const std::byte> mine, std::span<const std::int64_t> sizes,
                            std::byte* all) {
  const auto places = gather_words(node_, place_of(mine.data(), mine.size()));
  Status outcome;
  for (std::size_t r = 0; r < places.size(); ++r) {
    const auto rank = static_cast<int>(r);
    if (rank == node_.rank())
      std::copy(mine.begin(), mine.end(), all);
    else if (auto done = fetch(peers_, rank, places[r], all); !done)
      outcome = done;
    all += sizes[r];
  }
  return settle(node_, outcome);
}

Result<std::vector<Bytes>> NodeExchange::deliver(std::span<const Letter> letters,
                                                 std::span<const int> from) {
  // One place for each rank, in a table whose own place everybody learns.
  std::vector<Place> out(static_cast<std::size_t>(node_.ranks()));
  for (const Letter& letter : letters)
    out[static_cast<std::size_t>(letter.peer)] = place_of(letter.body.data(), letter.body.size());
  const auto tables = gather_words(node_, reinterpret_cast<std::uint64_t>(out.data()));
  std::vector<Bytes> received(from.size());
  Status outcome;
  for (std::size_t i = 0; i < from.size() && outcome; ++i) {
    const int rank = from[i];
    const auto mine = static_cast<std::uint64_t>(node_.rank()) * sizeof(Place);
    Place place;
    outcome =
        fetch(peers_, rank,
              {tables[static_cast<std::size_t>(rank)] + mine, std::int64_t{sizeof place}}, &place);
    if (!outcome) break;
    received[i].resize(static_cast<std::size_t>(place.bytes));
    outcome = fetch(peers_, rank, place, received[i].data());
  }
  if (auto settled = settle(node_, outcome); !settled) return tl::make_unexpected(settled.error());
  return received;
}

Status NodeExchange::agree(const std::optional<Error>& failure) {
  struct Verdict {
    std::int64_t failed = 0;
    std::int64_t kind = 0;
    Place text;
  };
  Verdict mine;
  if (failure)
    mine = {1, static_cast<std::int64_t>(failure->kind),
            place_of(failure->message.data(), failure->message.size())};
  const auto all = gather_words(node_, mine);
  const auto first =
      std::find_if(all.begin(), all.end(), [](const Verdict& v) { return v.failed != 0; });
  if (first == all.end()) return {};
  const auto rank = static_cast<int>(first - all.begin());
  Error error{static_cast<ErrorKind>(first->kind), {}};
  if (rank == node_.rank()) {
    error.message = failure->message;
  } else {
    error.message.resize(static_cast<std::size_t>(first->text.bytes));
    if (!fetch(peers_, rank, first->text, error.message.data())) error.message.clear();
  }
  node_.barrier();
  return tl::make_unexpected(std::move(error));
}

}  // namespace tutti
