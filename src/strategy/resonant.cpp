#include "strategy/resonant.hpp"

#include <algorithm>
#include <vector>

#include "strategy/access_sets.hpp"
#include "strategy/call_shape.hpp"
#include "strategy/owners.hpp"
#include "strategy/process_groups.hpp"
#include "strategy/stripe_rounds.hpp"
#include "strategy/two_phase.hpp"

namespace tutti {

namespace {

constexpr const char* kName = "resonant";
// From so many ranks for each I/O node on a node has several agents.
constexpr std::int64_t kManyRanks = 4;
// From this size on a request is as good as a longer one.
constexpr std::int64_t kLargeStripeBytes = 1 << 20;

// Whether the I/O nodes of all bytes in `range` are known.
bool has_stripes(const StripeLayout& layout, Extent range) {
  return layout.striped() && layout.covers(range) &&
         (!layout.round_robin() || layout.period_bytes() > 0);
}

// Both sides of an exchange list pieces in this order; of a pair, windows in the order of nodes.
void sort_pieces(std::vector<Piece>& pieces) {
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return a.peer != b.peer ? a.peer < b.peer : a.origin < b.origin;
  });
  pieces.shrink_to_fit();
}

// Whether ranks that share I/O nodes go one after the other.
bool takes_turns(const CallFacts& facts) {
  const Toggle wish = facts.hints.turns;
  return wish == Toggle::automatic ? !facts.any_order : wish == Toggle::enable;
}

// How many agents a node has: several only where there are many more ranks than nodes, and data
// enough for each agent to have a round of its own.
std::int64_t agents_each(const CallFacts& facts, std::int64_t nodes, std::int64_t candidates,
                         std::int64_t one_round_bytes, Extent range) {
  if (facts.hints.strategy != kName || candidates < kManyRanks * nodes || !takes_turns(facts))
    return 1;
  return std::clamp<std::int64_t>(range.bytes / one_round_bytes, 1, candidates / nodes);
}

class AgentPlan {
 public:
  AgentPlan(const CallFacts& facts, Extent range)
      : facts_(facts), range_(range), sets_(access_sets(facts)) {
    const std::vector<std::int32_t> candidates = choose_owners(facts);
    const auto ranks = std::ssize(facts.ranks);
    // Two windows are in flight at a time: one is exchanged while storage works on the other.
    const std::int64_t most = std::max<std::int64_t>(facts.hints.cb_buffer_size / 2, 1);
    agents_ = choose_agents(sets_, candidates);
    rounds_ = cut_stripes(facts.layout, range, agents_[0], ranks, most);
    const auto nodes = std::count_if(sets_.begin(), sets_.end(), is_asked);
    const std::int64_t each =
        agents_each(facts, nodes, std::ssize(candidates), rounds_.step, range);
    if (each > 1) agents_ = choose_agents(sets_, candidates, each);
  }

  void fill(Plan& plan) const {
    const auto each = std::ssize(agents_);
    plan.rounds = (rounds_.count + each - 1) / each;
    plan.window_bytes = *std::max_element(rounds_.staged.begin(), rounds_.staged.end());
    plan.timed = each > 1;
    if (plan.timed) plan.turn.delay_us = facts_.hints.delay_us;
    const std::vector<NodeStripes> parts = stripes_of(facts_.layout, range_);
    for (std::int64_t turn = 0; turn < each; ++turn)
      for (const NodeStripes& part : parts) add(part, turn, plan);
    plan.owned.shrink_to_fit();
    sort_pieces(plan.phases[0].ships);
    sort_pieces(plan.phases[0].lands);
    if (plan.timed) take_turns(plan);
  }

 private:
  std::int32_t agent(std::int64_t turn, std::size_t node) const {
    return agents_[static_cast<std::size_t>(turn)][node];
  }

  // What the node's agent number `turn` accesses, as far as it concerns the plan's rank.
  void add(const NodeStripes& part, std::int64_t turn, Plan& plan) const {
    const auto node = static_cast<std::size_t>(part.node);
    const std::int32_t owner = agent(turn, node);
    if (owner < 0) return;
    const MovingWindow window{range_.offset + turn * rounds_.step, rounds_.step,
                              std::ssize(agents_) * rounds_.step, range_.end(), part.stripes};
    const auto has_bytes = [&](std::int32_t rank) {
      const RankFacts& asks = facts_.ranks[static_cast<std::size_t>(rank)];
      return sets_[node][static_cast<std::size_t>(rank)] > 0 &&
             ever_touches(window, {asks.lower, asks.upper - asks.lower});
    };
    if (owner != plan.rank) {
      if (has_bytes(plan.rank)) plan.phases[0].ships.push_back({owner, plan.rank, window});
      return;
    }
    plan.owned.push_back(window);
    plan.staging_bytes = rounds_.staged[static_cast<std::size_t>(agent(0, node))];
    for (std::int32_t origin = 0; origin < plan.ranks; ++origin)
      if (origin != plan.rank && has_bytes(origin))
        plan.phases[0].lands.push_back({origin, origin, window});
  }

  // The agents of a node go one after the other, in every round.
  void take_turns(Plan& plan) const {
    const std::int64_t last = std::ssize(agents_) - 1;
    for (std::size_t node = 0; node < sets_.size(); ++node)
      for (std::int64_t turn = 0; turn <= last; ++turn) {
        if (agent(turn, node) != plan.rank) continue;
        Turn& mine = plan.turn;
        if (turn > 0) mine.after = {agent(turn - 1, node)};
        if (turn < last) mine.before = {agent(turn + 1, node)};
        if (turn == 0) mine.after_last_round = {agent(last, node)};
        if (turn == last) mine.before_next_round = {agent(0, node)};
      }
  }

  const CallFacts& facts_;
  Extent range_;
  std::vector<AccessSet> sets_;
  std::vector<Agents> agents_;
  StripeRounds rounds_;
};

// The user wants it so, or asks for nothing but the strategy where ranks do not interleave.
bool every_rank_for_itself(const CallFacts& facts, const CallShape& shape) {
  const Toggle wish = buffering(facts);
  if (wish != Toggle::automatic) return wish == Toggle::disable;
  return facts.hints.strategy == kName && has_stripes(facts.layout, shape.range) &&
         !shape.interleaved && shape.bytes > 0;
}

bool reads_ahead(const CallFacts& facts) {
  if (facts.direction != Direction::read) return false;
  const Toggle wish = facts.hints.read_ahead;
  return wish == Toggle::automatic ? facts.server_cache : wish == Toggle::enable;
}

// Whether agents of I/O nodes would ask for one small stripe after the other.
bool would_read_stripe_by_stripe(const CallFacts& facts, const CallShape& shape) {
  return facts.direction == Direction::read && facts.single_reads && shape.interleaved &&
         has_stripes(facts.layout, shape.range) && !reads_ahead(facts) &&
         facts.layout.unit_bytes < kLargeStripeBytes;
}

// Every agent reads a part of the file, as much as it can hold at once: storage makes one long
// request of it for each I/O node.
Plan plan_parts(const CallFacts& facts, std::int32_t rank) {
  Plan plan = plan_two_phase(facts, rank);
  plan.strategy = kName;
  plan.listed = true;
  return plan;
}

}  // namespace

bool accepts_resonant(const CallFacts& facts) {
  const CallShape shape = shape_of(facts);
  return has_stripes(facts.layout, shape.range) && shape.monotone;
}

Plan plan_resonant(const CallFacts& facts, std::int32_t rank) {
  Plan plan = begin_plan(kName, facts, rank);
  const CallShape shape = shape_of(facts);
  if (every_rank_for_itself(facts, shape)) {
    plan.independent = true;
    plan.timed = buffering(facts) == Toggle::automatic && takes_turns(facts);
    if (plan.timed) plan.turn = turn_in_groups(process_sets(access_sets(facts)), rank);
    plan.turn.delay_us = plan.timed ? facts.hints.delay_us : 0;
    return plan;
  }
  if (shape.bytes > 0 && would_read_stripe_by_stripe(facts, shape)) return plan_parts(facts, rank);
  plan.listed = true;
  plan.phases.resize(1);
  if (shape.bytes == 0) return plan;
  if (!has_stripes(facts.layout, shape.range)) {
    CallFacts plain = facts;
    plain.layout = {};
    AgentPlan(plain, shape.range).fill(plan);
    return plan;
  }
  AgentPlan(facts, shape.range).fill(plan);
  plan.prefetch = reads_ahead(facts) && !plan.timed;
  return plan;
}

}  // namespace tutti
