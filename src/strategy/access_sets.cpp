#include "strategy/access_sets.hpp"

#include <algorithm>

#include "plan/node_bytes.hpp"

namespace tutti {

std::vector<AccessSet> access_sets(const CallFacts& facts) {
  const bool striped = facts.layout.striped();
  const auto nodes = static_cast<std::size_t>(striped ? facts.layout.io_nodes : 1);
  std::vector<AccessSet> sets(nodes, AccessSet(facts.ranks.size(), 0));
  for (std::size_t rank = 0; rank < facts.ranks.size(); ++rank) {
    const RankFacts& asks = facts.ranks[rank];
    if (asks.bytes <= 0) continue;
    if (!striped) {
      sets[0][rank] = asks.bytes;
      continue;
    }
    const bool counted = asks.on_node.size() == nodes;
    const Extent stretch{asks.lower, asks.upper - asks.lower};
    const std::vector<std::int64_t> bytes =
        counted ? asks.on_node
                : bytes_on_nodes({Pattern::run(stretch.bytes, stretch.offset), 0, stretch.bytes},
                                 facts.layout);
    for (std::size_t node = 0; node < nodes; ++node) sets[node][rank] = bytes[node];
  }
  return sets;
}

bool is_asked(const AccessSet& set) {
  return std::any_of(set.begin(), set.end(), [](std::int64_t bytes) { return bytes > 0; });
}

std::vector<Agents> choose_agents(std::span<const AccessSet> sets,
                                  std::span<const std::int32_t> candidates, std::int64_t each) {
  std::vector<Agents> chosen(static_cast<std::size_t>(each), Agents(sets.size(), -1));
  std::vector<std::int32_t> free(candidates.begin(), candidates.end());
  for (Agents& agents : chosen)
    for (std::size_t node = 0; node < sets.size(); ++node) {
      const AccessSet& set = sets[node];
      if (!is_asked(set)) continue;
      if (free.empty()) free.assign(candidates.begin(), candidates.end());
      const auto asks_less = [&](std::int32_t a, std::int32_t b) {
        return set[static_cast<std::size_t>(a)] < set[static_cast<std::size_t>(b)];
      };
      const auto most = std::max_element(free.begin(), free.end(), asks_less);
      agents[node] = *most;
      free.erase(most);
    }
  return chosen;
}

}  // namespace tutti
