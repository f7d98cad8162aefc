#include "strategy/file_cut.hpp"

#include <algorithm>

namespace tutti {

namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

}  // namespace

std::int64_t boundary_unit(const StripeLayout& layout, std::int64_t part_bytes) {
  if (part_bytes < kAlignedBytes) return 1;
  if (layout.striped() && part_bytes >= layout.unit_bytes) return layout.unit_bytes;
  return kPageBytes;
}

std::int64_t part_begin(Extent range, std::int64_t parts, std::int64_t part, std::int64_t unit) {
  if (part == 0) return range.offset;
  if (part == parts) return range.end();
  const std::int64_t exact =
      range.offset + range.bytes / parts * part + range.bytes % parts * part / parts;
  const std::int64_t nearest = (exact + unit / 2) / unit * unit;
  return std::clamp(nearest, range.offset, range.end());
}

Rounds cut_rounds(std::int64_t domain_bytes, std::int64_t most_bytes, std::int64_t unit) {
  if (domain_bytes <= 0) return {};
  const std::int64_t most = most_bytes < kAlignedBytes ? most_bytes : most_bytes / unit * unit;
  Rounds rounds;
  rounds.window_bytes = ceil_div(domain_bytes, ceil_div(domain_bytes, most));
  if (rounds.window_bytes >= kAlignedBytes)
    rounds.window_bytes = ceil_div(rounds.window_bytes, unit) * unit;
  rounds.count = ceil_div(domain_bytes, rounds.window_bytes);
  return rounds;
}

}  // namespace tutti
