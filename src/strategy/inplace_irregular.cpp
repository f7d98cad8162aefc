#include "strategy/inplace_irregular.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace tutti::inplace {

namespace {

// The part that contains `at`. REQUIRES: parts.file contains it.
int part_of(const FileParts& parts, std::int64_t at) {
  int low = 0;
  int high = parts.ranks;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    (parts.cut(middle) <= at ? low : high) = middle;
  }
  return low;
}

}  // namespace

Result<CountState> start_counts(std::span<const Tuple> distribution, const FileParts& parts,
                                int rank) {
  CountState state{rank, parts.ranks, 0, {}, {}};
  state.held.resize(static_cast<std::size_t>(parts.ranks), 0);
  for (const Tuple& tuple : distribution) {
    if (tuple.length < 0 || tuple.offset < parts.file.first ||
        tuple.length > parts.file.last - tuple.offset) {
      return fail(ErrorKind::invalid_argument,
                  "in-place inspector: a tuple leaves the file interval");
    }
    for (std::int64_t at = tuple.offset; at < tuple.end();) {
      const int part = part_of(parts, at);
      const std::int64_t end = std::min(tuple.end(), parts.cut(part + 1));
      state.held[static_cast<std::size_t>(part)] += end - at;
      at = end;
    }
    state.own_elements += tuple.length;
  }
  return state;
}

std::vector<std::int64_t> counts_for_target(CountState& state, int phase) {
  const RankRange whole = group_parts(state.rank, phase, state.ranks);
  const RankRange kept = group_parts(state.rank, phase + 1, state.ranks);
  std::vector<std::int64_t> outgoing;
  if (kept.first == whole.first) {
    const auto cut = state.held.begin() + kept.size();
    outgoing.assign(cut, state.held.end());
    state.held.erase(cut, state.held.end());
  } else {
    const auto cut = state.held.begin() + (kept.first - whole.first);
    outgoing.assign(state.held.begin(), cut);
    state.held.erase(state.held.begin(), cut);
  }
  return outgoing;
}

void accept_counts(CountState& state, int phase, int source, std::span<const std::int64_t> counts) {
  std::int64_t total = 0;
  for (std::size_t part = 0; part < counts.size(); ++part) {
    state.held[part] += counts[part];
    total += counts[part];
  }
  state.incoming.push_back({phase, source, 0, total});
}

Inspection start_inspection(std::span<const Tuple> distribution, const FileParts& parts,
                            const CountState& counts) {
  Inspection inspection{parts, {}, {}};
  InplacePlan& plan = inspection.plan;
  plan.rank = counts.rank;
  plan.ranks = counts.ranks;
  plan.region = lay_out_region(plan.rank, counts.own_elements, counts.incoming);
  plan.domain = group_interval(parts, plan.rank, phase_count(plan.ranks));
  inspection.list = mapping_list(distribution, plan.region.alloc_offset);
  return inspection;
}

Tuples extract(Inspection& inspection, int phase) {
  const int rank = inspection.plan.rank;
  const Interval kept = group_interval(inspection.parts, rank, phase + 1);
  const bool keeps_lower = ((rank >> phase) & 1) == 0;
  SplitList split = split_list(inspection.list, keeps_lower ? kept.last : kept.first);
  const MappingList outgoing = by_physical(std::move(keeps_lower ? split.from : split.below));
  inspection.list = std::move(keeps_lower ? split.below : split.from);
  inspection.plan.phases.push_back(make_phase(inspection.plan, phase, compute_datatype(outgoing)));
  return logical_tuples(outgoing);
}

void accept(Inspection& inspection, int source, std::span<const Tuple> logical) {
  add_list(inspection.list, mapping_list(logical, slot_of(inspection.plan.region, source).offset));
}

InplacePlan finish(Inspection inspection) {
  const MappingList list = separate_overlaps(std::move(inspection.list));
  inspection.plan.pack = compute_datatype_intervaled(list);
  inspection.plan.file = logical_tuples(list);
  return std::move(inspection.plan);
}

Interval file_interval(std::span<const Tuples> distributions) {
  Interval file{std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()};
  for (const Tuples& distribution : distributions) {
    for (const Tuple& tuple : distribution) {
      if (tuple.length <= 0) continue;
      file.first = std::min(file.first, tuple.offset);
      file.last = std::max(file.last, tuple.end());
    }
  }
  return file.first < file.last ? file : Interval{};
}

Result<std::vector<InplacePlan>> inspect_irregular(std::span<const Tuples> distributions,
                                                   Interval file) {
  const int ranks = static_cast<int>(distributions.size());
  if (ranks < 1) return fail(ErrorKind::invalid_argument, "in-place inspector: there are no ranks");
  const FileParts parts{file, ranks};
  const auto at = [](int rank) { return static_cast<std::size_t>(rank); };

  std::vector<CountState> counts;
  for (int rank = 0; rank < ranks; ++rank) {
    auto started = start_counts(distributions[at(rank)], parts, rank);
    if (!started) return tl::make_unexpected(started.error());
    counts.push_back(*std::move(started));
  }
  for (int phase = 0; phase < phase_count(ranks); ++phase) {
    std::vector<std::vector<std::int64_t>> messages;
    for (CountState& state : counts) messages.push_back(counts_for_target(state, phase));
    for (CountState& state : counts) {
      for (const int source : partners(state.rank, phase, ranks).sources) {
        accept_counts(state, phase, source, messages[at(source)]);
      }
    }
  }

  std::vector<Inspection> inspections;
  for (int rank = 0; rank < ranks; ++rank) {
    inspections.push_back(start_inspection(distributions[at(rank)], parts, counts[at(rank)]));
  }
  for (int phase = 0; phase < phase_count(ranks); ++phase) {
    std::vector<Tuples> messages;
    for (Inspection& inspection : inspections) messages.push_back(extract(inspection, phase));
    for (int rank = 0; rank < ranks; ++rank) {
      for (const int source : partners(rank, phase, ranks).sources) {
        accept(inspections[at(rank)], source, messages[at(source)]);
      }
    }
  }
  std::vector<InplacePlan> plans;
  for (Inspection& inspection : inspections) plans.push_back(finish(std::move(inspection)));
  return plans;
}

}  // namespace tutti::inplace
