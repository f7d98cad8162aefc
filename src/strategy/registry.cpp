#include <algorithm>
#include <array>

#include "strategy/automatic.hpp"
#include "strategy/independent.hpp"
#include "strategy/multi_phase.hpp"
#include "strategy/resonant.hpp"
#include "strategy/strategy.hpp"
#include "strategy/two_phase.hpp"

namespace tutti {

namespace {

constexpr std::array kStrategies{
    Strategy{.name = "naive",
             .help = "every rank for itself, one request for each contiguous piece",
             .accepts = accepts_any,
             .plan = plan_naive},
    Strategy{.name = "list",
             .help = "every rank for itself, lists of pieces",
             .accepts = accepts_any,
             .plan = plan_list},
    Strategy{.name = "sieve",
             .help = "every rank for itself, large transfers that cover the holes",
             .accepts = accepts_any,
             .plan = plan_sieve},
    Strategy{.name = "independent",
             .help = "every rank for itself, by the method that fits its pieces",
             .accepts = accepts_any,
             .plan = plan_independent},
    Strategy{.name = "two-phase",
             .help = "even file domains, direct exchange with their owners",
             .accepts = accepts_two_phase,
             .plan = plan_two_phase},
    Strategy{.name = "multi-phase",
             .help = "digit-reversed file domains, exchange in log P phases (tutti_radix)",
             .accepts = accepts_multi_phase,
             .plan = plan_multi_phase},
    Strategy{.name = "resonant",
             .help = "one agent for each I/O node of a striped file, in ascending order",
             .accepts = accepts_resonant,
             .plan = plan_resonant,
             .by_io_node = true,
             .otherwise = "two-phase"},
};

}  // namespace

std::span<const Strategy> strategies() { return kStrategies; }

const Strategy* find_strategy(std::string_view name) {
  const auto found = std::find_if(kStrategies.begin(), kStrategies.end(),
                                  [&](const Strategy& row) { return row.name == name; });
  return found == kStrategies.end() ? nullptr : &*found;
}

const Strategy& choose_strategy(const CallFacts& facts) {
  const Strategy* asked = find_strategy(facts.hints.strategy);
  for (const Strategy* next = asked; next != nullptr; next = find_strategy(next->otherwise))
    if (next->accepts(facts)) return *next;
  return *find_strategy(automatic_choice(facts));
}

}  // namespace tutti
