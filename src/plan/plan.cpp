#include "plan/plan.hpp"

namespace tutti {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace

MovingWindow moving_interval(std::int64_t start, std::int64_t unit, std::int64_t step,
                             std::int64_t end) {
  return {{start, unit, 0, 1}, step, end};
}

Window window_in_round(const MovingWindow& moving, std::int64_t round) {
  Window window = moving.first;
  window.start += round * moving.step;
  const std::int64_t room = moving.end - window.start;
  if (window.count <= 0 || window.unit <= 0 || room <= 0) return {};
  if (window.count == 1) {
    window.unit = std::min(window.unit, room);
  } else if (window.stride > 0) {
    window.count = std::min(window.count, ceil_div(room, window.stride));
  }
  return window;
}

std::int64_t bytes_in_round(const MovingWindow& moving, std::int64_t round) {
  const Window window = window_in_round(moving, round);
  if (window.count == 0) return 0;
  const std::int64_t last = window.start + (window.count - 1) * window.stride;
  return (window.count - 1) * window.unit + std::min(window.unit, moving.end - last);
}

bool ever_touches(const MovingWindow& moving, Extent bytes) {
  const Window& first = moving.first;
  if (bytes.bytes <= 0 || first.count <= 0 || first.unit <= 0) return false;
  const std::int64_t hull = (first.count - 1) * first.stride + first.unit;
  const auto touches_in = [&](std::int64_t round) {
    const std::int64_t start = first.start + round * moving.step;
    return start < std::min(bytes.end(), moving.end) &&
           bytes.offset < std::min(start + hull, moving.end);
  };
  if (moving.step <= 0) return touches_in(0);
  // The first round whose hull ends above bytes.offset: no earlier one touches, and a later one
  // starts higher.
  const std::int64_t behind = bytes.offset - (first.start + hull);
  return touches_in(behind < 0 ? 0 : behind / moving.step + 1);
}

std::int64_t plan_bytes(const Plan& plan) {
  std::size_t bytes = sizeof plan + plan.strategy.capacity();
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
