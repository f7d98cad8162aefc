#include "strategy/process_groups.hpp"

#include <algorithm>
#include <numeric>

namespace tutti {

std::span<const std::int32_t> ProcessSet::group(std::int64_t k) const {
  const std::int64_t first = k * io_nodes;
  if (k < 0 || first >= std::ssize(ranks)) return {};
  const std::int64_t count = std::min<std::int64_t>(io_nodes, std::ssize(ranks) - first);
  return std::span(ranks).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
}

std::vector<ProcessSet> process_sets(std::span<const AccessSet> sets) {
  const std::size_t ranks = sets.empty() ? 0 : sets[0].size();
  // The lowest rank that each is known to be joined with.
  std::vector<std::size_t> joined(ranks);
  std::iota(joined.begin(), joined.end(), std::size_t{0});
  const auto lowest = [&](std::size_t rank) {
    while (joined[rank] != rank) rank = joined[rank] = joined[joined[rank]];
    return rank;
  };
  constexpr std::size_t kNobody = ~std::size_t{0};
  std::vector<std::size_t> user_of(sets.size(), kNobody);
  std::vector<bool> asks(ranks, false);
  for (std::size_t node = 0; node < sets.size(); ++node)
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (sets[node][rank] <= 0) continue;
      asks[rank] = true;
      if (user_of[node] == kNobody) user_of[node] = rank;
      const std::size_t a = lowest(user_of[node]);
      const std::size_t b = lowest(rank);
      joined[std::max(a, b)] = std::min(a, b);
    }
  std::vector<ProcessSet> found;
  std::vector<std::size_t> index(ranks, kNobody);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (!asks[rank]) continue;
    std::size_t& place = index[lowest(rank)];
    if (place == kNobody) {
      place = found.size();
      found.emplace_back();
    }
    found[place].ranks.push_back(static_cast<std::int32_t>(rank));
  }
  for (const std::size_t user : user_of)
    if (user != kNobody) ++found[index[lowest(user)]].io_nodes;
  return found;
}

Turn turn_in_groups(std::span<const ProcessSet> sets, std::int32_t rank) {
  Turn turn;
  for (const ProcessSet& set : sets) {
    const auto place = std::find(set.ranks.begin(), set.ranks.end(), rank);
    if (place == set.ranks.end()) continue;
    const std::int64_t k = (place - set.ranks.begin()) / set.io_nodes;
    const auto earlier = set.group(k - 1);
    const auto later = set.group(k + 1);
    turn.after.assign(earlier.begin(), earlier.end());
    turn.before.assign(later.begin(), later.end());
  }
  return turn;
}

}  // namespace tutti
