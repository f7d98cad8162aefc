#include "strategy/owners.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace tutti {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The number in "*:N", 1 for "*", 0 for everything that sets no limit.
std::int64_t limit_of(std::string_view entry) {
  if (entry == "*") return 1;
  if (!entry.starts_with("*:")) return 0;
  const std::string_view number = entry.substr(2);
  std::int64_t limit = 0;
  const auto [end, failed] = std::from_chars(number.data(), number.data() + number.size(), limit);
  const bool whole = failed == std::errc() && end == number.data() + number.size();
  return whole ? std::max<std::int64_t>(limit, 0) : 0;
}

}  // namespace

std::int64_t owners_per_node(std::string_view cb_config_list) {
  while (!cb_config_list.empty()) {
    const auto comma = cb_config_list.find(',');
    if (const std::int64_t limit = limit_of(trimmed(cb_config_list.substr(0, comma))); limit > 0)
      return limit;
    cb_config_list.remove_prefix(comma == std::string_view::npos ? cb_config_list.size()
                                                                 : comma + 1);
  }
  return 0;
}

std::vector<std::int32_t> choose_owners(const CallFacts& facts) {
  struct Candidate {
    std::int64_t turn = 0;  // how many ranks of its node come before it
    std::int32_t rank = 0;
  };
  const std::int64_t limit = owners_per_node(facts.hints.cb_config_list);
  std::map<std::int32_t, std::int64_t> seen_on_node;
  std::vector<Candidate> candidates;
  for (std::size_t rank = 0; rank < facts.ranks.size(); ++rank) {
    const std::int64_t turn = seen_on_node[facts.ranks[rank].node]++;
    if (limit == 0 || turn < limit) candidates.push_back({turn, static_cast<std::int32_t>(rank)});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.turn < b.turn; });
  const auto wanted = static_cast<std::size_t>(facts.hints.cb_nodes);
  if (wanted > 0 && wanted < candidates.size()) candidates.resize(wanted);
  std::vector<std::int32_t> owners;
  owners.reserve(candidates.size());
  for (const Candidate& candidate : candidates) owners.push_back(candidate.rank);
  std::sort(owners.begin(), owners.end());
  return owners;
}

}  // namespace tutti
