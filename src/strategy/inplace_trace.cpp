#include "strategy/inplace_trace.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

namespace tutti::inplace {

namespace {

// Appends the logical addresses of as many elements of `wanted` as lie in the own elements or in
// the slot that contains its start; returns how many, 0 if none does.
Result<std::int64_t> trace_front(const History& history, Tuple wanted, Tuples& logical) {
  const auto overlap = [&wanted](std::int64_t offset, std::int64_t length) {
    const std::int64_t from = wanted.offset - offset;
    return from < 0 || from >= length ? 0 : std::min(length - from, wanted.length);
  };
  const std::int64_t own = overlap(history.alloc_offset, total_length(history.distribution));
  if (own > 0) {
    const std::int64_t first = wanted.offset - history.alloc_offset;
    for (const Tuple& tuple : slice(history.distribution, first, first + own))
      append(logical, tuple);
    return own;
  }
  for (const Received& received : history.received) {
    const std::int64_t here = overlap(received.receive_offset, total_length(received.datatype));
    if (here == 0) continue;
    const std::int64_t first = wanted.offset - received.receive_offset;
    auto traced = trace_logical(received.source, slice(received.datatype, first, first + here));
    if (!traced) return tl::make_unexpected(traced.error());
    for (const Tuple& tuple : *traced) append(logical, tuple);
    return here;
  }
  return 0;
}

}  // namespace

Result<Tuples> trace_logical(const History& history, std::span<const Tuple> physical) {
  Tuples logical;
  for (Tuple wanted : physical) {
    while (wanted.length > 0) {
      const auto traced = trace_front(history, wanted, logical);
      if (!traced) return tl::make_unexpected(traced.error());
      if (*traced == 0) {
        return fail(ErrorKind::internal,
                    "in-place trace: nothing arrived at element " + std::to_string(wanted.offset));
      }
      wanted = {wanted.offset + *traced, wanted.length - *traced};
    }
  }
  return logical;
}

std::vector<History> exchange_histories(std::span<const InplacePlan> plans,
                                        std::span<const Tuples> distributions, int phase) {
  std::vector<History> histories;
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    histories.push_back({plans[rank].region.alloc_offset, distributions[rank], {}});
  }
  for (int ph = 0; ph < phase; ++ph) {
    const std::vector<History> before = histories;
    for (std::size_t rank = 0; rank < plans.size(); ++rank) {
      for (const Exchange& exchange : plans[rank].phases[static_cast<std::size_t>(ph)]) {
        const auto peer = static_cast<std::size_t>(exchange.peer);
        const Phase& remote = plans[peer].phases[static_cast<std::size_t>(ph)];
        const auto back = std::ranges::find(remote, static_cast<int>(rank), &Exchange::peer);
        if (back == remote.end() || back->send.empty()) continue;
        histories[rank].received.push_back({exchange.receive_offset, back->send, before[peer]});
      }
    }
  }
  return histories;
}

}  // namespace tutti::inplace
