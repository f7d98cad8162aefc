#include "plan/facts.hpp"

#include <algorithm>
#include <cmath>

namespace tutti {

namespace {

// As many as the range's share of the stream's bytes.
std::int64_t estimated_pieces(const FileRange& range) {
  const Pattern& stream = range.stream;
  const long double share =
      static_cast<long double>(range.bytes) / static_cast<long double>(stream.size());
  const std::int64_t pieces = std::llround(share * static_cast<long double>(stream.run_count()));
  return std::clamp<std::int64_t>(pieces, 1, range.bytes);
}

}  // namespace

RankFacts facts_of(const FileRange& range) {
  RankFacts facts;
  if (range.bytes <= 0) return facts;
  facts.monotone = range.stream.is_monotone();
  facts.bytes = range.bytes;
  const std::int64_t last = range.first + range.bytes;
  if (facts.monotone) {
    facts.lower = range.stream.offset_of(range.first);
    facts.upper = range.stream.offset_of(last - 1) + 1;
  } else {
    const Pattern part = range.stream.slice(range.first, last);
    facts.lower = part.lower();
    facts.upper = part.upper();
  }
  const bool one_piece = facts.monotone && facts.upper - facts.lower == facts.bytes;
  facts.pieces = one_piece ? 1 : estimated_pieces(range);
  return facts;
}

}  // namespace tutti
