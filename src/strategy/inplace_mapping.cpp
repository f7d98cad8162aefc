#include "strategy/inplace_mapping.hpp"

#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>

namespace tutti::inplace {

namespace {

bool by_logical(const MappedRun& a, const MappedRun& b) {
  return std::tie(a.logical, a.physical) < std::tie(b.logical, b.physical);
}

// Whether `next` is `first` moved by `stride`.
bool is_moved(std::span<const Tuple> first, std::span<const Tuple> next, std::int64_t stride) {
  return std::ranges::equal(first, next, [stride](const Tuple& a, const Tuple& b) {
    return a.offset + stride == b.offset && a.length == b.length;
  });
}

void append_interval(Repeats& repeats, Tuples interval) {
  if (interval.empty()) return;
  if (!repeats.empty()) {
    Repeat& last = repeats.back();
    const std::int64_t moved = interval.front().offset - last.tuples.front().offset;
    const std::int64_t stride = last.count > 1 ? last.stride : moved;
    if (stride > 0 && is_moved(last.tuples, interval, stride * last.count)) {
      last.stride = stride;
      ++last.count;
      return;
    }
  }
  repeats.push_back({std::move(interval), 1, 0});
}

}  // namespace

MappingList mapping_list(std::span<const Tuple> logical, std::int64_t physical) {
  MappingList list;
  for (const Tuple& tuple : logical) {
    if (tuple.length > 0) list.push_back({tuple.offset, physical, tuple.length});
    physical += tuple.length;
  }
  std::ranges::sort(list, by_logical);
  return list;
}

void add_list(MappingList& list, std::span<const MappedRun> added) {
  const auto middle = static_cast<std::ptrdiff_t>(list.size());
  list.insert(list.end(), added.begin(), added.end());
  std::ranges::inplace_merge(list, list.begin() + middle, by_logical);
}

SplitList split_list(std::span<const MappedRun> list, std::int64_t at) {
  SplitList result;
  for (const MappedRun& run : list) {
    const std::int64_t below = std::clamp<std::int64_t>(at - run.logical, 0, run.length);
    if (below > 0) result.below.push_back({run.logical, run.physical, below});
    if (below < run.length) {
      result.from.push_back({run.logical + below, run.physical + below, run.length - below});
    }
  }
  std::ranges::sort(result.from, by_logical);  // runs that reach across the cut now start at it
  return result;
}

MappingList by_physical(MappingList list) {
  std::ranges::sort(list, {}, &MappedRun::physical);
  return list;
}

Tuples compute_datatype(std::span<const MappedRun> list) {
  Tuples tuples;
  for (const MappedRun& run : list) append(tuples, {run.physical, run.length});
  return tuples;
}

Tuples logical_tuples(std::span<const MappedRun> list) {
  Tuples tuples;
  for (const MappedRun& run : list) append(tuples, {run.logical, run.length});
  return tuples;
}

Repeats compute_datatype_intervaled(std::span<const MappedRun> list) {
  Repeats repeats;
  std::size_t first = 0;
  for (std::size_t i = 1; i <= list.size(); ++i) {
    if (i < list.size() && list[i].physical > list[i - 1].physical) continue;
    append_interval(repeats, compute_datatype(list.subspan(first, i - first)));
    first = i;
  }
  return repeats;
}

MappingList separate_overlaps(MappingList list) {
  std::vector<std::int64_t> cuts;
  for (std::size_t i = 0, reach = 0; i < list.size(); ++i) {
    const auto end = [&](std::size_t run) { return list[run].logical + list[run].length; };
    if (i > 0 && list[i].logical < end(reach)) {
      cuts.insert(cuts.end(), {list[i].logical, end(i), end(reach)});
    }
    if (end(i) > end(reach)) reach = i;
  }
  if (cuts.empty()) return list;
  std::ranges::sort(cuts);
  MappingList result;
  for (MappedRun run : list) {
    for (auto cut = std::ranges::upper_bound(cuts, run.logical);
         cut != cuts.end() && *cut < run.logical + run.length;
         cut = std::ranges::upper_bound(cuts, run.logical)) {
      const std::int64_t below = *cut - run.logical;
      result.push_back({run.logical, run.physical, below});
      run = {run.logical + below, run.physical + below, run.length - below};
    }
    result.push_back(run);
  }
  std::ranges::sort(result, by_logical);
  return result;
}

}  // namespace tutti::inplace
