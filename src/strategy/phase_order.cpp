#include "strategy/phase_order.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace tutti {

namespace {

// How many of `members` have a digit below `digit`.
std::int32_t members_below(std::int32_t members, std::int32_t radix, std::int32_t digit) {
  return members / radix * digit + std::min(digit, members % radix);
}

// Ranks per node where it is the same on several nodes, 0 otherwise.
std::int32_t uniform_node_size(const CallFacts& facts) {
  std::map<std::int32_t, std::int32_t> sizes;
  for (const RankFacts& rank : facts.ranks) ++sizes[rank.node];
  const std::int32_t size = sizes.begin()->second;
  const bool uniform = std::all_of(sizes.begin(), sizes.end(),
                                   [&](const auto& node) { return node.second == size; });
  return uniform && sizes.size() > 1 ? size : 0;
}

}  // namespace

PhaseOrder::PhaseOrder(std::vector<std::int32_t> ranks, std::vector<std::int32_t> radices)
    : rank_at_(std::move(ranks)),
      position_of_(rank_at_.size()),
      radices_(std::move(radices)),
      distances_{1} {
  for (std::size_t position = 0; position < rank_at_.size(); ++position)
    position_of_[static_cast<std::size_t>(rank_at_[position])] =
        static_cast<std::int32_t>(position);
  for (const std::int32_t radix : radices_) {
    const std::int64_t next = std::int64_t{distances_.back()} * radix;
    // Beyond the number of ranks all distances mean the same.
    distances_.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(next, this->ranks())));
  }
}

PhaseOrder::Place PhaseOrder::place(std::int32_t position, std::int32_t phase) const {
  const std::int32_t distance = distances_[static_cast<std::size_t>(phase)];
  const std::int32_t group = position % distance;
  return {group, distance, position / distance, (ranks() - group - 1) / distance + 1};
}

std::int32_t PhaseOrder::digit(std::int32_t position, std::int32_t phase) const {
  return place(position, phase).index % radix(phase);
}

PartRange PhaseOrder::subgroup_parts(std::int32_t position, std::int32_t phase,
                                     std::int32_t digit) const {
  const std::int32_t members = place(position, phase).size;
  const std::int64_t first = parts(position, phase).first;
  return {first + members_below(members, radix(phase), digit),
          first + members_below(members, radix(phase), digit + 1)};
}

PartRange PhaseOrder::parts(std::int32_t position, std::int32_t phase) const {
  if (phase == 0) return {0, ranks()};
  return subgroup_parts(position, phase - 1, digit(position, phase - 1));
}

std::optional<std::int32_t> PhaseOrder::target(std::int32_t position, std::int32_t phase,
                                               std::int32_t digit) const {
  const Place at = place(position, phase);
  if (digit >= at.size) return std::nullopt;
  const std::int32_t k = radix(phase);
  const std::int32_t block = at.index / k;
  if (block * k + digit < at.size) return at.position(block * k + digit);
  // Only the last block lacks digits; its members lean on different blocks below it.
  const std::int32_t leans_on = (block - 1 + block - at.index % k % block) % block;
  return at.position(leans_on * k + digit);
}

std::vector<std::int32_t> PhaseOrder::sources(std::int32_t position, std::int32_t phase) const {
  const Place at = place(position, phase);
  const std::int32_t k = radix(phase);
  const std::int32_t own_block = at.index / k * k;
  const std::int32_t last_block = at.size / k * k;
  std::vector<std::int32_t> found;
  const auto look_at = [&](std::int32_t block) {
    for (std::int32_t member = block; member < std::min(block + k, at.size); ++member)
      if (member != at.index && target(at.position(member), phase, at.index % k) == position)
        found.push_back(at.position(member));
  };
  look_at(own_block);
  if (last_block != own_block) look_at(last_block);
  return found;
}

std::vector<std::int32_t> PhaseOrder::origins(std::int32_t position, std::int32_t phase) const {
  if (phase == 0) return {position};
  std::vector<std::int32_t> held = origins(position, phase - 1);
  for (const std::int32_t source : sources(position, phase - 1)) {
    const std::vector<std::int32_t> more = origins(source, phase - 1);
    held.insert(held.end(), more.begin(), more.end());
  }
  return held;
}

PhaseOrder phase_order(const CallFacts& facts) {
  const auto count = static_cast<std::int32_t>(facts.ranks.size());
  std::vector<std::int32_t> ranks(facts.ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  std::stable_sort(ranks.begin(), ranks.end(), [&](std::int32_t a, std::int32_t b) {
    return facts.ranks[static_cast<std::size_t>(a)].node <
           facts.ranks[static_cast<std::size_t>(b)].node;
  });
  const auto radix =
      static_cast<std::int32_t>(std::clamp<std::int64_t>(facts.hints.radix, 2, std::max(count, 2)));
  std::vector<std::int32_t> radices;
  std::int64_t reached = 1;
  if (const std::int32_t on_node = uniform_node_size(facts); on_node > 1 && radix < count) {
    radices.push_back(on_node);
    reached = on_node;
  }
  for (; reached < count; reached *= radix) radices.push_back(radix);
  return {std::move(ranks), std::move(radices)};
}

}  // namespace tutti
