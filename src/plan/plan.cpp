#include "plan/plan.hpp"

namespace tutti {

namespace {

// Bytes of the stripes below `offset`, counted from the stripe at stripes.offset on; negative
// before it.
std::int64_t stripe_bytes_below(const Stripes& stripes, std::int64_t offset) {
  const std::int64_t distance = offset - stripes.offset;
  if (stripes.stride == 0) return std::clamp<std::int64_t>(distance, 0, stripes.unit);
  const std::int64_t units = distance / stripes.stride - (distance % stripes.stride < 0 ? 1 : 0);
  return units * stripes.unit + std::min(distance - units * stripes.stride, stripes.unit);
}

// As if there were no stripes.
bool interval_touches(const MovingWindow& moving, Extent bytes) {
  const auto touches_in = [&](std::int64_t round) {
    const Extent interval = interval_in_round(moving, round);
    return interval.bytes > 0 && interval.offset < bytes.end() && bytes.offset < interval.end();
  };
  if (moving.step <= 0) return touches_in(0);
  // The first round whose interval ends above bytes.offset: no earlier one touches, and a later one
  // starts higher.
  const std::int64_t behind = bytes.offset - (moving.start + moving.bytes);
  return touches_in(behind < 0 ? 0 : behind / moving.step + 1);
}

}  // namespace

MovingWindow moving_interval(std::int64_t start, std::int64_t unit, std::int64_t step,
                             std::int64_t end) {
  return {start, unit, step, end, {}};
}

Extent interval_in_round(const MovingWindow& moving, std::int64_t round) {
  const std::int64_t start = moving.start + round * moving.step;
  const std::int64_t bytes = std::min(moving.bytes, moving.end - start);
  return bytes > 0 ? Extent{start, bytes} : Extent{};
}

std::int64_t bytes_in(const Stripes& stripes, Extent bytes) {
  if (bytes.bytes <= 0) return 0;
  if (stripes.unit == 0) return bytes.bytes;
  return stripe_bytes_below(stripes, bytes.end()) - stripe_bytes_below(stripes, bytes.offset);
}

std::int64_t bytes_in_round(const MovingWindow& moving, std::int64_t round) {
  return bytes_in(moving.stripes, interval_in_round(moving, round));
}

std::int64_t bytes_in_round(std::span<const MovingWindow> windows, std::int64_t round) {
  std::int64_t bytes = 0;
  for (const MovingWindow& window : windows) bytes += bytes_in_round(window, round);
  return bytes;
}

bool ever_touches(const MovingWindow& moving, Extent bytes) {
  if (bytes.bytes <= 0 || moving.bytes <= 0 || !interval_touches(moving, bytes)) return false;
  const Extent all = hull_of({&moving, 1});
  const std::int64_t begin = std::max(bytes.offset, all.offset);
  return bytes_in(moving.stripes, {begin, std::min(bytes.end(), all.end()) - begin}) > 0;
}

Extent hull_of(std::span<const MovingWindow> windows) {
  Extent hull;
  for (const MovingWindow& window : windows) {
    const std::int64_t reach =
        window.step > 0 ? window.end : std::min(window.end, window.start + window.bytes);
    if (window.bytes <= 0 || reach <= window.start) continue;
    const bool first = hull.bytes == 0;
    const std::int64_t lower = first ? window.start : std::min(hull.offset, window.start);
    const std::int64_t upper = first ? reach : std::max(hull.end(), reach);
    hull = {lower, upper - lower};
  }
  return hull;
}

std::int64_t plan_bytes(const Plan& plan) {
  std::size_t bytes = sizeof plan + plan.strategy.capacity();
  bytes += plan.owned.capacity() * sizeof(MovingWindow);
  for (const auto* ranks : {&plan.turn.after, &plan.turn.before, &plan.turn.after_last_round,
                            &plan.turn.before_next_round})
    bytes += ranks->capacity() * sizeof(std::int32_t);
  for (const Phase& phase : plan.phases) {
    bytes += sizeof phase;
    bytes += (phase.ships.capacity() + phase.lands.capacity()) * sizeof(Piece);
  }
  return static_cast<std::int64_t>(bytes);
}

StreamRange stream_in(const FileRange& range, Extent interval) {
  const std::int64_t last = range.first + range.bytes;
  if (range.bytes <= 0 || interval.bytes <= 0) return {range.first, range.first};
  const auto place = [&](std::int64_t offset) {
    return std::clamp(range.stream.bytes_below(offset), range.first, last);
  };
  return {place(interval.offset), place(interval.end())};
}

}  // namespace tutti
