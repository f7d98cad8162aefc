#include "strategy/two_phase.hpp"

#include <algorithm>
#include <vector>

#include "strategy/call_shape.hpp"
#include "strategy/file_cut.hpp"
#include "strategy/owners.hpp"

namespace tutti {

namespace {

constexpr const char* kName = "two-phase";

bool goes_independent(const CallFacts& facts, const CallShape& shape) {
  const Toggle wish = buffering(facts);
  if (wish != Toggle::automatic) return wish == Toggle::disable;
  return facts.hints.strategy == kName && !shape.interleaved;
}

// Domain i belongs to owner i.
std::vector<MovingWindow> cut_domains(const CallFacts& facts, const CallShape& shape,
                                      std::int64_t owners) {
  const std::int64_t unit = boundary_unit(facts.layout, shape.range.bytes / owners);
  std::vector<MovingWindow> domains;
  std::int64_t largest = 0;
  for (std::int64_t i = 0; i < owners; ++i) {
    const std::int64_t begin = part_begin(shape.range, owners, i, unit);
    const std::int64_t end = part_begin(shape.range, owners, i + 1, unit);
    domains.push_back(moving_interval(begin, 0, 0, end));
    largest = std::max(largest, end - begin);
  }
  // Two windows are in flight at a time: one is exchanged while storage works on the other.
  const std::int64_t most = std::max<std::int64_t>(facts.hints.cb_buffer_size / 2, 1);
  const std::int64_t window = cut_rounds(largest, most, kPageBytes).window_bytes;
  for (MovingWindow& domain : domains) {
    domain.bytes = std::min(window, domain.end - domain.start);
    domain.step = window;
  }
  return domains;
}

std::int64_t rounds_of(const MovingWindow& domain) {
  const std::int64_t bytes = domain.end - domain.start;
  return bytes <= 0 ? 0 : (bytes - 1) / domain.step + 1;
}

}  // namespace

bool accepts_two_phase(const CallFacts& facts) { return shape_of(facts).monotone; }

Plan plan_two_phase(const CallFacts& facts, std::int32_t rank) {
  Plan plan = begin_plan(kName, facts, rank);
  const CallShape shape = shape_of(facts);
  if (goes_independent(facts, shape)) {
    plan.independent = true;
    return plan;
  }
  plan.phases.resize(1);
  if (shape.bytes == 0) return plan;

  const std::vector<std::int32_t> owners = choose_owners(facts);
  const std::vector<MovingWindow> domains = cut_domains(facts, shape, std::ssize(owners));
  const auto extent_of = [&](std::int32_t r) {
    const RankFacts& asks = facts.ranks[static_cast<std::size_t>(r)];
    return Extent{asks.lower, asks.upper - asks.lower};
  };
  Phase& phase = plan.phases[0];
  for (std::size_t i = 0; i < owners.size(); ++i) {
    plan.rounds = std::max(plan.rounds, rounds_of(domains[i]));
    plan.window_bytes = std::max(plan.window_bytes, domains[i].bytes);
    if (owners[i] != rank) {
      if (ever_touches(domains[i], extent_of(rank)))
        phase.ships.push_back({owners[i], rank, domains[i]});
      continue;
    }
    if (domains[i].bytes == 0) continue;
    plan.owned = {domains[i]};
    plan.staging_bytes = domains[i].bytes;
    for (std::int32_t origin = 0; origin < plan.ranks; ++origin)
      if (origin != rank && ever_touches(domains[i], extent_of(origin)))
        phase.lands.push_back({origin, origin, domains[i]});
  }
  phase.ships.shrink_to_fit();
  phase.lands.shrink_to_fit();
  return plan;
}

}  // namespace tutti
