// What an inspection found: everything the executor needs about the other ranks. Kept in the plan
// cache and used again, at another file position, without any message.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/facts.hpp"
#include "plan/plan.hpp"

namespace tutti {

// Another rank's stream as far as this rank needs it. Stream byte first + i is byte packed_at + i
// of what that rank reads or writes in this call.
struct OriginStream {
  Pattern stream;
  std::int64_t first = 0;
  std::int64_t bytes = 0;
  std::int64_t packed_at = 0;
};

// A range of an origin's packed bytes.
struct PackedRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t bytes() const { return end - begin; }
};

// Which packed bytes of `origin` lie in the file interval `interval`. REQUIRES: a monotone stream.
inline PackedRange packed_range(const OriginStream& origin, Extent interval) {
  if (origin.bytes == 0 || interval.bytes <= 0) return {};
  const std::int64_t stop = origin.first + origin.bytes;
  const auto clamped = [&](std::int64_t k) {
    return k < origin.first ? origin.first : k > stop ? stop : k;
  };
  const std::int64_t begin = clamped(origin.stream.bytes_below(interval.offset));
  const std::int64_t end = clamped(origin.stream.bytes_below(interval.end()));
  return {begin - origin.first + origin.packed_at, end - origin.first + origin.packed_at};
}

struct Inspection {
  CallFacts facts;
  Plan plan;
  // Per rank; only the part inside this rank's domain where large, only this rank's own where all
  // go alone.
  std::vector<OriginStream> origins;
  bool knows_all = false;  // origins are whole: this rank could act for any owner
  bool covered = false;    // a write leaves no hole in this rank's domain
};

}  // namespace tutti
