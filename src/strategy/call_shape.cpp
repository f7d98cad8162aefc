#include "strategy/call_shape.hpp"

#include <algorithm>

namespace tutti {

CallShape shape_of(const CallFacts& facts) {
  CallShape shape;
  std::int64_t upper = 0;
  std::int64_t previous_upper = 0;
  for (const RankFacts& rank : facts.ranks) {
    if (rank.bytes <= 0) continue;
    const bool first = shape.bytes == 0;
    shape.interleaved = shape.interleaved || (!first && rank.lower < previous_upper);
    previous_upper = rank.upper;
    shape.range.offset = first ? rank.lower : std::min(shape.range.offset, rank.lower);
    upper = first ? rank.upper : std::max(upper, rank.upper);
    shape.bytes += rank.bytes;
    shape.pieces += rank.pieces;
    shape.most_pieces = std::max(shape.most_pieces, rank.pieces);
    shape.monotone = shape.monotone && rank.monotone;
  }
  shape.range.bytes = upper - shape.range.offset;
  return shape;
}

Toggle buffering(const CallFacts& facts) {
  return facts.direction == Direction::read ? facts.hints.romio_cb_read
                                            : facts.hints.romio_cb_write;
}

Plan begin_plan(const char* strategy, const CallFacts& facts, std::int32_t rank) {
  Plan plan;
  plan.strategy = strategy;
  plan.direction = facts.direction;
  plan.rank = rank;
  plan.ranks = static_cast<std::int32_t>(facts.ranks.size());
  plan.access = facts.hints.access;
  return plan;
}

}  // namespace tutti
