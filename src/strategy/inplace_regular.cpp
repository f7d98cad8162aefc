#include "strategy/inplace_regular.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace tutti::inplace {

namespace {

// A part of the region that arrived together: for each origin, in ascending order, its elements
// with logical addresses in `interval`.
struct Section {
  int phase = -1;  // -1: the process's own elements
  RankRange origins;
  Interval interval;
  std::int64_t offset = 0;
};

// Where the elements of `origin` with logical addresses from `logical` on start in the region.
std::int64_t physical_address(const CyclicVector& vector, const Section& section, int origin,
                              std::int64_t logical) {
  const std::int64_t before = vector.count({section.origins.first, origin}, section.interval);
  return section.offset + before +
         vector.count({origin, origin + 1}, {section.interval.first, logical});
}

// In ascending order of offset, which is also ascending order of origin.
std::vector<Section> sections_of(const FileParts& parts, int rank, const Region& region) {
  std::vector<Section> sections;
  sections.push_back({-1, {rank, rank + 1}, parts.file, region.alloc_offset});
  for (const Slot& slot : region.slots) {
    sections.push_back({slot.phase, origins(slot.source, slot.phase, parts.ranks),
                        group_interval(parts, rank, slot.phase + 1), slot.offset});
  }
  std::ranges::sort(sections, {}, [](const Section& section) { return section.origins.first; });
  return sections;
}

// Properties 1 to 3: one tuple for each origin held, in order of physical address.
Tuples sending_tuples(const CyclicVector& vector, std::span<const Section> sections, int phase,
                      Interval outgoing) {
  Tuples tuples;
  for (const Section& section : sections) {
    if (section.phase >= phase) continue;
    for (int origin = section.origins.first; origin < section.origins.last; ++origin) {
      append(tuples, {physical_address(vector, section, origin, outgoing.first),
                      vector.count({origin, origin + 1}, outgoing)});
    }
  }
  return tuples;
}

// File order goes through the blocks row by row, a row being one block of each process: an
// incomplete row, equal rows at a distance of one block, an incomplete row.
class Packing {
 public:
  Packing(const CyclicVector& vector, std::span<const Section> sections, Interval domain)
      : vector_(vector), first_(domain.first) {
    for (const Section& section : sections) {
      for (int origin = section.origins.first; origin < section.origins.last; ++origin) {
        bases_.push_back(physical_address(vector, section, origin, domain.first));
      }
    }
  }

  void add(Interval piece, std::int64_t count) {
    if (piece.size() == 0 || count == 0) return;
    Tuples tuples;
    for (std::int64_t at = piece.first; at < piece.last;) {
      const std::int64_t block = at / vector_.block;
      const auto origin = static_cast<int>(block % vector_.ranks);
      const std::int64_t length = std::min(vector_.block - at % vector_.block, piece.last - at);
      const std::int64_t skipped = vector_.count({origin, origin + 1}, {first_, at});
      append(tuples, {bases_[static_cast<std::size_t>(origin)] + skipped, length});
      at += length;
    }
    repeats_.push_back({std::move(tuples), count, count > 1 ? vector_.block : 0});
  }

  Repeats take() { return std::move(repeats_); }

 private:
  const CyclicVector& vector_;
  std::int64_t first_;
  std::vector<std::int64_t> bases_;
  Repeats repeats_;
};

Repeats packing(const CyclicVector& vector, std::span<const Section> sections, Interval domain) {
  if (domain.size() == 0) return {};
  if (vector.ranks == 1) return {{{{sections.front().offset, domain.size()}}, 1, 0}};
  const std::int64_t row = vector.ranks * vector.block;
  const std::int64_t into_row = domain.first % row;
  const std::int64_t to_next_row = into_row == 0 ? 0 : row - into_row;
  const std::int64_t body = domain.first + std::min(to_next_row, domain.size());
  const std::int64_t rows = (domain.last - body) / row;
  Packing result(vector, sections, domain);
  result.add({domain.first, body}, 1);
  result.add({body, body + (rows > 0 ? row : 0)}, rows);
  result.add({body + rows * row, domain.last}, 1);
  return result.take();
}

}  // namespace

std::int64_t CyclicVector::count_below(RankRange owners, std::int64_t logical) const {
  const std::int64_t row = ranks * block;
  const std::int64_t share = owners.size() * block;
  return logical / row * share +
         std::clamp<std::int64_t>(logical % row - owners.first * block, 0, share);
}

std::int64_t CyclicVector::count(RankRange owners, Interval logical) const {
  return count_below(owners, logical.last) - count_below(owners, logical.first);
}

std::int64_t CyclicVector::logical_address(int rank, std::int64_t alloc_offset,
                                           std::int64_t physical) const {
  const std::int64_t index = physical - alloc_offset;
  return rank * block + index / block * ranks * block + index % block;
}

Tuples CyclicVector::tuples(int rank) const {
  Tuples result;
  for (std::int64_t at = rank * block; at < elements; at += ranks * block) {
    append(result, {at, std::min(block, elements - at)});
  }
  return result;
}

Result<InplacePlan> inspect_regular(const CyclicVector& given, int rank) {
  if (given.ranks < 1 || rank < 0 || rank >= given.ranks) {
    return fail(ErrorKind::invalid_argument, "in-place inspector: rank is not among the ranks");
  }
  if (given.elements < 0 || given.block < 1) {
    return fail(ErrorKind::invalid_argument, "in-place inspector: elements or block is too small");
  }
  CyclicVector vector = given;
  vector.block = std::min(vector.block, std::max<std::int64_t>(vector.elements, 1));
  if (vector.block > std::numeric_limits<std::int64_t>::max() / 2 / vector.ranks) {
    return fail(ErrorKind::invalid_argument, "in-place inspector: ranks * block is too large");
  }

  const FileParts parts{{0, vector.elements}, vector.ranks};
  const int phases = phase_count(vector.ranks);
  std::vector<Slot> incoming;
  for (int phase = 0; phase < phases; ++phase) {
    for (const int source : partners(rank, phase, vector.ranks).sources) {
      const Interval kept = group_interval(parts, rank, phase + 1);
      incoming.push_back(
          {phase, source, 0, vector.count(origins(source, phase, vector.ranks), kept)});
    }
  }

  InplacePlan plan{rank, vector.ranks, {}, {}, {}, {}, group_interval(parts, rank, phases)};
  plan.region = lay_out_region(rank, vector.own_elements(rank), std::move(incoming));
  const std::vector<Section> sections = sections_of(parts, rank, plan.region);
  for (int phase = 0; phase < phases; ++phase) {
    Tuples send = sending_tuples(vector, sections, phase, outgoing_interval(parts, rank, phase));
    plan.phases.push_back(make_phase(plan, phase, std::move(send)));
  }
  plan.pack = packing(vector, sections, plan.domain);
  append(plan.file, {plan.domain.first, plan.domain.size()});
  return plan;
}

}  // namespace tutti::inplace
