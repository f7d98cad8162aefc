// A Plan says what one rank does in one collective call: which ranges it ships to whom, which it
// lands, and which file bytes it accesses, round by round. It is a value: no handle, pointer or
// clock in it. Its size depends on the number of ranks, never on the number of elements or
// rounds; of resonant I/O on files that are not striped in turn also on the number of stripes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/extent.hpp"
#include "request/access.hpp"
#include "request/hints.hpp"

namespace tutti {

// The bytes that one I/O node holds of the file: `unit` bytes from `offset` on and again every
// `stride` bytes, before and after; just once where stride is 0. A unit of 0 means every byte.
// REQUIRES: stride is 0, or at least unit.
struct Stripes {
  std::int64_t offset = 0;
  std::int64_t unit = 0;
  std::int64_t stride = 0;

  friend bool operator==(const Stripes&, const Stripes&) = default;
};

// A part of the file that moves: in round t the interval of `bytes` bytes at start + t * step, cut
// at `end`; of that only what `stripes` says.
struct MovingWindow {
  std::int64_t start = 0;
  std::int64_t bytes = 0;
  std::int64_t step = 0;
  std::int64_t end = 0;
  Stripes stripes;

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

// When a rank may touch storage: after the word of some ranks, and others wait for its own.
struct Turn {
  std::vector<std::int32_t> after;
  std::vector<std::int32_t> before;
  // In plans with rounds the above holds within a round; these are the same from round to round.
  std::vector<std::int32_t> after_last_round;
  std::vector<std::int32_t> before_next_round;
  // The word follows so long after the requests were issued, or when they are done where storage
  // does not take requests without being waited for.
  std::int64_t delay_us = 0;

  bool empty() const {
    return after.empty() && before.empty() && after_last_round.empty() && before_next_round.empty();
  }
  friend bool operator==(const Turn&, const Turn&) = default;
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
  // What this rank accesses for everybody: one window for each I/O node it is responsible for, or
  // one interval where owners do not look at I/O nodes.
  std::vector<MovingWindow> owned;
  // Windows are sets of stripes: owners access them in lists of pieces. Equal on all ranks.
  bool listed = false;
  // Reads: owners only ask storage for their windows. All ranks meet in every round when that is
  // under way; then each reads itself what the phase says it would ship, from a cache that owners
  // filled. Bytes are read twice on purpose. Equal on all ranks.
  bool prefetch = false;
  bool timed =
      false;  // some rank waits for another's word before it accesses storage; equal on all
  Turn turn;  // this rank's part in that
  AccessMethod access = AccessMethod::automatic;
  std::int64_t staging_bytes = 0;  // the most this rank's window holds in a round
  std::int64_t window_bytes = 0;   // the most any rank's window holds in a round; equal on all

  friend bool operator==(const Plan&, const Plan&) = default;
};

// One interval of `unit` bytes that moves on by `step` in every round, cut at `end`.
MovingWindow moving_interval(std::int64_t start, std::int64_t unit, std::int64_t step,
                             std::int64_t end);

// The interval of round t, whatever the stripes; empty once it lies beyond its end.
Extent interval_in_round(const MovingWindow& moving, std::int64_t round);

// How many bytes of `bytes` the stripes hold.
std::int64_t bytes_in(const Stripes& stripes, Extent bytes);

// The pieces of `whole` that the stripes hold: visit(Extent) -> bool, ascending, none empty, until
// it returns false. Returns whether all were visited.
template <class Visit>
bool for_each_stripe(const Stripes& stripes, Extent whole, Visit&& visit) {
  if (whole.bytes <= 0) return true;
  if (stripes.unit == 0) return visit(whole);
  std::int64_t at = stripes.offset;
  if (stripes.stride > 0) {
    const std::int64_t behind = whole.offset - at;
    at += (behind / stripes.stride - (behind % stripes.stride < 0 ? 1 : 0)) * stripes.stride;
  }
  for (; at < whole.end(); at += stripes.stride) {
    const std::int64_t begin = std::max(at, whole.offset);
    const std::int64_t end = std::min(at + stripes.unit, whole.end());
    if (begin < end && !visit(Extent{begin, end - begin})) return false;
    if (stripes.stride == 0) break;
  }
  return true;
}

// The pieces of the window in round t, as for_each_stripe().
template <class Visit>
bool for_each_interval(const MovingWindow& moving, std::int64_t round, Visit&& visit) {
  return for_each_stripe(moving.stripes, interval_in_round(moving, round), visit);
}
template <class Visit>
bool for_each_interval(std::span<const MovingWindow> windows, std::int64_t round, Visit&& visit) {
  for (const MovingWindow& window : windows)
    if (!for_each_interval(window, round, visit)) return false;
  return true;
}

// File bytes of the window, or of all windows, in round t.
std::int64_t bytes_in_round(const MovingWindow& moving, std::int64_t round);
std::int64_t bytes_in_round(std::span<const MovingWindow> windows, std::int64_t round);

// Whether the window holds a byte of `bytes` in any round. Exact, unless there are stripes and
// the interval leaves something out between rounds: then it may say yes too often.
bool ever_touches(const MovingWindow& moving, Extent bytes);

// From the first to the last byte that the windows can ever hold, whatever the stripes; empty for
// none.
Extent hull_of(std::span<const MovingWindow> windows);

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
