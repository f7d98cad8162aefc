// A set of stream positions, kept as disjoint ranges.
#pragma once

#include <algorithm>
#include <vector>

#include "plan/plan.hpp"

namespace tutti {

class StreamSet {
 public:
  bool empty() const { return ranges_.empty(); }

  // False, and nothing changes, if some position is in the set already.
  bool add(StreamRange range) {
    if (range.bytes() <= 0) return true;
    const auto next = first_ending_above(range.begin);
    if (next != ranges_.end() && next->begin < range.end) return false;
    const auto at = ranges_.insert(next, range);
    merge(at);
    return true;
  }

  // False, and nothing changes, if some position is not in the set.
  bool take(StreamRange range) {
    if (range.bytes() <= 0) return true;
    const auto at = first_ending_above(range.begin);
    if (at == ranges_.end() || at->begin > range.begin || at->end < range.end) return false;
    const StreamRange rest{range.end, at->end};
    at->end = range.begin;
    const auto behind = at->bytes() == 0 ? ranges_.erase(at) : at + 1;
    if (rest.bytes() > 0) ranges_.insert(behind, rest);
    return true;
  }

 private:
  using Iterator = std::vector<StreamRange>::iterator;

  Iterator first_ending_above(std::int64_t position) {
    return std::partition_point(ranges_.begin(), ranges_.end(),
                                [&](const StreamRange& range) { return range.end <= position; });
  }

  // Joins `at` with neighbours that touch it, so that take() finds one range.
  void merge(Iterator at) {
    if (at + 1 != ranges_.end() && (at + 1)->begin == at->end) {
      at->end = (at + 1)->end;
      ranges_.erase(at + 1);
    }
    if (at != ranges_.begin() && (at - 1)->end == at->begin) {
      (at - 1)->end = at->end;
      ranges_.erase(at);
    }
  }

  std::vector<StreamRange> ranges_;  // ascending; none touch
};

}  // namespace tutti
