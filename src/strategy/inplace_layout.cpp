#include "strategy/inplace_layout.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tutti::inplace {

int phase_count(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));
}

Partners partners(int rank, int phase, int ranks) {
  const std::int64_t distance = std::int64_t{1} << phase;
  const bool has_above = rank + distance < ranks;
  const bool keeps_lower = ((rank >> phase) & 1) == 0;
  const auto above = static_cast<int>(rank + distance);
  const auto below = static_cast<int>(rank - distance);
  if (keeps_lower) {
    if (has_above) return {above, {above}};
    if (rank >= distance) return {below, {}};
    return {};
  }
  const bool shared = has_above && above + distance >= ranks;
  return {below, shared ? std::vector<int>{below, above} : std::vector<int>{below}};
}

RankRange origins(int rank, int phase, int ranks) {
  const std::int64_t distance = std::int64_t{1} << phase;
  const std::int64_t first = (rank >> phase) * distance;
  const std::int64_t last = rank + distance < ranks ? first + distance : ranks;
  return {static_cast<int>(first), static_cast<int>(last)};
}

RankRange group_parts(int rank, int phase, int ranks) {
  RankRange parts{0, ranks};
  for (int ph = 0; ph < phase; ++ph) {
    const int middle = parts.last - parts.size() / 2;
    (((rank >> ph) & 1) == 0 ? parts.last : parts.first) = middle;
  }
  return parts;
}

int file_part(int rank, int ranks) { return group_parts(rank, phase_count(ranks), ranks).first; }

std::int64_t FileParts::cut(int part) const {
  const std::int64_t quotient = file.size() / ranks;
  const std::int64_t remainder = file.size() % ranks;
  return file.first + part * quotient + part * remainder / ranks;
}

Interval group_interval(const FileParts& parts, int rank, int phase) {
  return parts.interval(group_parts(rank, phase, parts.ranks));
}

Interval outgoing_interval(const FileParts& parts, int rank, int phase) {
  const Interval whole = group_interval(parts, rank, phase);
  const Interval kept = group_interval(parts, rank, phase + 1);
  return kept.first == whole.first ? Interval{kept.last, whole.last}
                                   : Interval{whole.first, kept.first};
}

Region lay_out_region(int rank, std::int64_t own_elements, std::vector<Slot> incoming) {
  std::ranges::sort(incoming, {}, &Slot::source);
  Region region{0, 0, own_elements, std::move(incoming)};
  for (Slot& slot : region.slots) {
    slot.offset = region.elements + (slot.source > rank ? own_elements : 0);
    region.elements += slot.count;
    if (slot.source < rank) region.alloc_offset += slot.count;
  }
  region.elements += own_elements;
  return region;
}

const Slot& slot_of(const Region& region, int source) {
  return *std::ranges::find(region.slots, source, &Slot::source);
}

}  // namespace tutti::inplace
