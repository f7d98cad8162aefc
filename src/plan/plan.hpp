// A Plan says what one rank does in one collective call: which ranges it ships to whom, which it
// lands, and which file bytes it accesses, round by round. It is a value: no handle, pointer or
// clock in it. Its size depends on the number of ranks, never on the number of elements or rounds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/extent.hpp"
#include "request/access.hpp"
#include "request/hints.hpp"

namespace tutti {

// A regular set of file bytes: `count` units of `unit` bytes, each `stride` after the one before.
// One interval has count 1; nothing at all has count 0.
struct Window {
  std::int64_t start = 0;
  std::int64_t unit = 0;
  std::int64_t stride = 0;
  std::int64_t count = 0;

  std::int64_t bytes() const { return unit * count; }
  friend bool operator==(const Window&, const Window&) = default;
};

// A window that moves: in round t it is `first` moved by t · step, cut at `end`. Where the cut
// falls into a unit, that unit is short: for_each_interval() gives the exact intervals.
struct MovingWindow {
  Window first;
  std::int64_t step = 0;
  std::int64_t end = 0;

  friend bool operator==(const MovingWindow&, const MovingWindow&) = default;
};

// The bytes of `origin`'s stream inside a window, on their way to or from `peer`. Which stream
// range that is follows from the origin's pattern by rank(), so a piece does not grow with the
// data.
struct Piece {
  std::int32_t peer = 0;
  std::int32_t origin = 0;
  MovingWindow window;

  friend bool operator==(const Piece&, const Piece&) = default;
};

// One exchange step of a round, told for a write. A read runs the phases backwards, lands what is
// listed under `ships` and ships what is listed under `lands`. A piece whose peer is the rank
// itself stays where it is and is not listed.
struct Phase {
  std::vector<Piece> ships;
  std::vector<Piece> lands;

  friend bool operator==(const Phase&, const Phase&) = default;
};

struct Plan {
  std::string strategy;
  Direction direction = Direction::read;
  std::int32_t rank = 0;
  std::int32_t ranks = 1;
  // No exchange: every rank accesses its own bytes by `access`; rounds and phases are empty.
  bool independent = false;
  std::int64_t rounds = 0;  // equal on all ranks
  std::vector<Phase> phases;
  std::optional<MovingWindow> owned;  // what this rank accesses for everybody
  AccessMethod access = AccessMethod::automatic;
  std::int64_t staging_bytes = 0;  // the most this rank's window holds in a round
  std::int64_t window_bytes = 0;   // the most any rank's window holds in a round; equal on all

  friend bool operator==(const Plan&, const Plan&) = default;
};

// One interval of `unit` bytes that moves on by `step` in every round, cut at `end`.
MovingWindow moving_interval(std::int64_t start, std::int64_t unit, std::int64_t step,
                             std::int64_t end);

// The window of round t; count 0 once it lies beyond its end. A single unit is already cut at the
// end; of several the last one may still reach beyond it.
Window window_in_round(const MovingWindow& moving, std::int64_t round);

// The intervals of round t, cut at the end: visit(Extent) -> bool, ascending, none empty, until it
// returns false. Returns whether all were visited.
template <class Visit>
bool for_each_interval(const MovingWindow& moving, std::int64_t round, Visit&& visit) {
  const Window window = window_in_round(moving, round);
  for (std::int64_t i = 0; i < window.count; ++i) {
    const std::int64_t start = window.start + i * window.stride;
    if (!visit(Extent{start, std::min(window.unit, moving.end - start)})) return false;
  }
  return true;
}

// File bytes of the window in round t.
std::int64_t bytes_in_round(const MovingWindow& moving, std::int64_t round);

// Whether the window holds a byte of `bytes` in any round. Exact for one unit; the gaps between
// several units are taken as part of the window.
bool ever_touches(const MovingWindow& moving, Extent bytes);

// Memory that the plan takes, pieces included.
std::int64_t plan_bytes(const Plan& plan);

// Stream positions [begin, end).
struct StreamRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  std::int64_t bytes() const { return end - begin; }
  friend bool operator==(const StreamRange&, const StreamRange&) = default;
};

// The part of `range` that lies in the file interval. REQUIRES: range.stream is monotone.
StreamRange stream_in(const FileRange& range, Extent interval);

}  // namespace tutti
