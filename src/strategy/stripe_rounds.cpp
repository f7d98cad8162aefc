#include "strategy/stripe_rounds.hpp"

#include <algorithm>

#include "strategy/file_cut.hpp"

namespace tutti {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

using ByRank = std::vector<std::int64_t>;

std::int64_t& at_agent(ByRank& values, std::int32_t agent) {
  return values[static_cast<std::size_t>(agent)];
}

// The most stripes of each agent among any `length` consecutive ones of a round-robin file.
ByRank most_stripes(std::span<const std::int32_t> agents, std::int64_t ranks, std::int64_t length) {
  const auto nodes = std::ssize(agents);
  ByRank held(static_cast<std::size_t>(ranks), 0);
  ByRank most = held;
  const auto agent_at = [&](std::int64_t stripe) {
    return agents[static_cast<std::size_t>(stripe % nodes)];
  };
  for (std::int64_t stripe = 0; stripe < nodes + length; ++stripe) {
    if (stripe >= length && agent_at(stripe - length) >= 0)
      --at_agent(held, agent_at(stripe - length));
    if (const std::int32_t agent = agent_at(stripe); agent >= 0)
      at_agent(most, agent) = std::max(at_agent(most, agent), ++at_agent(held, agent));
  }
  return most;
}

std::int64_t largest(const ByRank& values) {
  return *std::max_element(values.begin(), values.end());
}

StripeRounds in_steps_of(Extent range, std::int64_t step) {
  StripeRounds rounds;
  rounds.step = std::min(step, range.bytes);
  rounds.count = ceil_div(range.bytes, rounds.step);
  return rounds;
}

StripeRounds cut_round_robin(const StripeLayout& layout, Extent range,
                             std::span<const std::int32_t> agents, std::int64_t ranks,
                             std::int64_t most_bytes) {
  const auto nodes = std::ssize(agents);
  const std::int64_t unit = layout.unit_bytes;
  const auto staged = [&](std::int64_t stripes) {
    ByRank bytes = most_stripes(agents, ranks, stripes);
    for (std::int64_t& each : bytes) each *= unit;
    return bytes;
  };
  const ByRank row = staged(nodes);
  StripeRounds rounds;
  if (largest(row) <= most_bytes) {
    const std::int64_t rows_needed = ceil_div(range.bytes, unit * nodes);
    const std::int64_t rows = std::min(most_bytes / largest(row), rows_needed);
    rounds = in_steps_of(range, ceil_div(rows_needed, ceil_div(rows_needed, rows)) * unit * nodes);
    rounds.staged = row;
    const std::int64_t rows_a_round = ceil_div(rounds.step, unit * nodes);
    for (std::int64_t& each : rounds.staged) each *= rows_a_round;
  } else if (unit <= most_bytes) {
    std::int64_t enough = 1;
    for (std::int64_t more = nodes; more - enough > 1;) {
      const std::int64_t middle = (enough + more) / 2;
      (largest(staged(middle)) <= most_bytes ? enough : more) = middle;
    }
    rounds = in_steps_of(range, enough * unit);
    rounds.staged = staged(enough);
  } else {
    rounds = in_steps_of(range, cut_rounds(range.bytes, most_bytes, kPageBytes).window_bytes);
    rounds.staged = staged(1);
  }
  for (std::int64_t& each : rounds.staged) each = std::min(each, rounds.step);
  return rounds;
}

// What every agent stages at most in rounds of `step`.
ByRank staged_by_table(const std::vector<NodeStripes>& runs, Extent range,
                       std::span<const std::int32_t> agents, std::int64_t ranks,
                       std::int64_t step) {
  ByRank now(static_cast<std::size_t>(ranks), 0);
  ByRank most = now;
  std::int64_t round = 0;
  for (const NodeStripes& run : runs) {
    const std::int32_t agent = agents[static_cast<std::size_t>(run.node)];
    if (agent < 0) continue;
    const std::int64_t end = run.stripes.offset + run.stripes.unit;
    for (std::int64_t at = run.stripes.offset; at < end;) {
      const std::int64_t its_round = (at - range.offset) / step;
      if (its_round != round) {
        std::fill(now.begin(), now.end(), 0);
        round = its_round;
      }
      const std::int64_t stop = std::min(end, range.offset + (its_round + 1) * step);
      std::int64_t& bytes = at_agent(now, agent);
      bytes += stop - at;
      at_agent(most, agent) = std::max(at_agent(most, agent), bytes);
      at = stop;
    }
  }
  return most;
}

StripeRounds cut_table(const StripeLayout& layout, Extent range,
                       std::span<const std::int32_t> agents, std::int64_t ranks,
                       std::int64_t most_bytes) {
  const std::vector<NodeStripes> runs = stripes_of(layout, range);
  std::int64_t parts = ceil_div(ceil_div(range.bytes, ranks), most_bytes);
  while (true) {
    // A step of most_bytes is small enough for whatever table.
    const std::int64_t step = std::max(ceil_div(range.bytes, parts), most_bytes);
    StripeRounds rounds = in_steps_of(range, step);
    rounds.staged = staged_by_table(runs, range, agents, ranks, rounds.step);
    if (largest(rounds.staged) <= most_bytes || step <= most_bytes) return rounds;
    parts *= 2;
  }
}

}  // namespace

std::vector<NodeStripes> stripes_of(const StripeLayout& layout, Extent range) {
  std::vector<NodeStripes> found;
  if (!layout.striped()) {
    found.push_back({});
  } else if (layout.round_robin()) {
    for (std::int32_t node = 0; node < layout.io_nodes; ++node) {
      const std::int64_t turn = (node - layout.first_node + layout.io_nodes) % layout.io_nodes;
      found.push_back(
          {node,
           {turn * layout.unit_bytes, layout.unit_bytes, layout.unit_bytes * layout.io_nodes}});
    }
  } else {
    std::int64_t reached = range.offset;
    const auto leave_out = [&](std::int64_t until) {
      if (reached < until) found.push_back({0, {reached, until - reached, 0}});
    };
    for_each_node_run(layout, range, [&](Extent run, std::int32_t node) {
      leave_out(run.offset);
      found.push_back({node, {run.offset, run.bytes, 0}});
      reached = run.end();
    });
    leave_out(range.end());
  }
  return found;
}

StripeRounds cut_stripes(const StripeLayout& layout, Extent range,
                         std::span<const std::int32_t> agents, std::int64_t ranks,
                         std::int64_t most_bytes) {
  if (layout.striped() && !layout.round_robin())
    return cut_table(layout, range, agents, ranks, most_bytes);
  if (layout.striped()) return cut_round_robin(layout, range, agents, ranks, most_bytes);
  StripeRounds rounds =
      in_steps_of(range, cut_rounds(range.bytes, most_bytes, kPageBytes).window_bytes);
  rounds.staged.assign(static_cast<std::size_t>(ranks), 0);
  if (agents[0] >= 0) at_agent(rounds.staged, agents[0]) = rounds.step;
  return rounds;
}

}  // namespace tutti
