// The registry of collective strategies. A strategy is a row of pure functions: no MPI, no I/O, no
// environment, no clock. Equal facts give equal answers on every rank.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "plan/facts.hpp"
#include "plan/plan.hpp"

namespace tutti {

struct Strategy {
  std::string_view name;
  std::string_view help;
  bool (*accepts)(const CallFacts& facts);
  Plan (*plan)(const CallFacts& facts, std::int32_t rank);
  bool by_io_node = false;              // plan() wants to know RankFacts::on_node
  std::string_view otherwise = "auto";  // what a call that it does not accept gives way to
};

std::span<const Strategy> strategies();

// By name; nullptr when there is none.
const Strategy* find_strategy(std::string_view name);

// What facts.hints ask for, where it accepts the call; otherwise what that gives way to. Never
// fails: `naive` accepts everything.
const Strategy& choose_strategy(const CallFacts& facts);

}  // namespace tutti
