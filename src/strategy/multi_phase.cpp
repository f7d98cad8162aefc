#include "strategy/multi_phase.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "strategy/call_shape.hpp"
#include "strategy/file_cut.hpp"
#include "strategy/phase_order.hpp"

namespace tutti {

namespace {

// How many times its share of a super-window a rank may hold between phases, about: the ranks'
// densest stream against an even distribution.
std::int64_t skew(const CallFacts& facts) {
  const auto ranks = std::ssize(facts.ranks);
  double densest = 0;
  for (const RankFacts& rank : facts.ranks)
    if (rank.bytes > 0)
      densest = std::max(
          densest, static_cast<double>(rank.bytes) / static_cast<double>(rank.upper - rank.lower));
  return std::clamp<std::int64_t>(std::llround(densest * static_cast<double>(ranks)), 1, ranks);
}

// All phases run for one super-window, a window for each rank, after the other.
class SuperWindow {
 public:
  SuperWindow(const CallFacts& facts, Extent range)
      : range_(range), ranks_(std::ssize(facts.ranks)) {
    const std::int64_t most =
        std::max<std::int64_t>(facts.hints.cb_buffer_size / 2 / skew(facts), 1);
    const std::int64_t share = (range.bytes + ranks_ - 1) / ranks_;
    const Rounds cut = cut_rounds(share, most, range.offset % kPageBytes == 0 ? kPageBytes : 1);
    window_bytes_ = cut.window_bytes;
    rounds_ = window_bytes_ == 0 ? 0 : (range.bytes - 1) / (window_bytes_ * ranks_) + 1;
  }

  std::int64_t rounds() const { return rounds_; }
  MovingWindow window(PartRange parts) const {
    const std::int64_t start = range_.offset + parts.first * window_bytes_;
    const std::int64_t unit = (parts.last - parts.first) * window_bytes_;
    const std::int64_t step = ranks_ * window_bytes_;
    return moving_interval(start, unit, step,
                           std::min(range_.end(), start + (rounds_ - 1) * step + unit));
  }

 private:
  Extent range_;
  std::int64_t ranks_;
  std::int64_t window_bytes_ = 0;
  std::int64_t rounds_ = 0;
};

class PieceList {
 public:
  PieceList(const CallFacts& facts, const PhaseOrder& order) : facts_(facts), order_(order) {}

  // What `window` takes of the origins; those without a byte in it are left out.
  void add(std::int32_t peer, const std::vector<std::int32_t>& origins,
           const MovingWindow& window) {
    for (const std::int32_t origin : origins) {
      const std::int32_t rank = order_.rank_at(origin);
      const RankFacts& asks = facts_.ranks[static_cast<std::size_t>(rank)];
      if (ever_touches(window, {asks.lower, asks.upper - asks.lower}))
        pieces_.push_back({order_.rank_at(peer), rank, window});
    }
  }

  // In ascending order of peer and origin, which both sides of an exchange rely on.
  std::vector<Piece> sorted() && {
    std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) {
      return a.peer != b.peer ? a.peer < b.peer : a.origin < b.origin;
    });
    pieces_.shrink_to_fit();
    return std::move(pieces_);
  }

 private:
  const CallFacts& facts_;
  const PhaseOrder& order_;
  std::vector<Piece> pieces_;
};

}  // namespace

bool accepts_multi_phase(const CallFacts& facts) {
  return std::all_of(facts.ranks.begin(), facts.ranks.end(), [](const RankFacts& rank) {
    return rank.bytes <= 0 || (rank.monotone && rank.described);
  });
}

Plan plan_multi_phase(const CallFacts& facts, std::int32_t rank) {
  const CallShape shape = shape_of(facts);
  const PhaseOrder order = phase_order(facts);
  const SuperWindow super(facts, shape.range);
  const std::int32_t position = order.position_of(rank);

  Plan plan = begin_plan("multi-phase", facts, rank);
  plan.rounds = super.rounds();
  plan.phases.resize(static_cast<std::size_t>(order.phases()));
  if (plan.rounds == 0) return plan;

  for (std::int32_t phase = 0; phase < order.phases(); ++phase) {
    PieceList ships(facts, order);
    const std::vector<std::int32_t> held = order.origins(position, phase);
    for (std::int32_t digit = 0; digit < order.radix(phase); ++digit) {
      if (digit == order.digit(position, phase)) continue;
      if (const auto target = order.target(position, phase, digit))
        ships.add(*target, held, super.window(order.subgroup_parts(position, phase, digit)));
    }
    PieceList lands(facts, order);
    const MovingWindow kept = super.window(order.parts(position, phase + 1));
    for (const std::int32_t source : order.sources(position, phase))
      lands.add(source, order.origins(source, phase), kept);
    Phase& exchange = plan.phases[static_cast<std::size_t>(phase)];
    exchange.ships = std::move(ships).sorted();
    exchange.lands = std::move(lands).sorted();
  }
  for (std::int32_t other = 0; other < order.ranks(); ++other)
    plan.window_bytes = std::max(
        plan.window_bytes, bytes_in_round(super.window(order.parts(other, order.phases())), 0));
  const MovingWindow owned = super.window(order.parts(position, order.phases()));
  if (owned.start < owned.end) {
    plan.owned = {owned};
    plan.staging_bytes = bytes_in_round(owned, 0);
  }
  return plan;
}

}  // namespace tutti
