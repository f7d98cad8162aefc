// A datatype as the MPI standard defines it: a plain list of basic data with markers. Slow and
// obvious on purpose, and it shares nothing with Pattern, so that each can prove the other wrong.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace tutti::test {

struct BasicDatum {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::int64_t alignment = 1;
  std::int64_t parts = 1;  // numbers in it: two in a complex one
  bool is_long_double = false;
};

struct ReferenceType {
  std::vector<BasicDatum> typemap;
  std::optional<std::int64_t> lb_marker;  // smallest explicit lower bound (MPI_LB, resized)
  std::optional<std::int64_t> ub_marker;  // largest explicit upper bound
  std::int64_t lb = 0;
  std::int64_t extent = 0;
  // Set where the hosts' bounds differ from the standard's or from each other's: data off their
  // alignment, explicit bounds beside implicit ones, types without data. The bounds above are then
  // taken from the host.
  bool host_decides_bounds = false;
  bool holds_empty = false;     // a type without data, here or inside
  bool holds_backward = false;  // a negative extent, here or inside

  std::int64_t size() const {
    return std::accumulate(typemap.begin(), typemap.end(), std::int64_t{0},
                           [](std::int64_t sum, const BasicDatum& d) { return sum + d.bytes; });
  }
  std::int64_t alignment() const {
    std::int64_t largest = 1;
    for (const BasicDatum& d : typemap) largest = std::max(largest, d.alignment);
    return largest;
  }
  std::int64_t lower() const {
    std::int64_t least = typemap.empty() ? 0 : typemap.front().offset;
    for (const BasicDatum& d : typemap) least = std::min(least, d.offset);
    return least;
  }
  std::int64_t upper() const {
    std::int64_t most = typemap.empty() ? 0 : typemap.front().offset;
    for (const BasicDatum& d : typemap) most = std::max(most, d.offset + d.bytes);
    return most;
  }

  // Appends one copy of `child` moved by `offset`.
  void place(const ReferenceType& child, std::int64_t offset) {
    const bool first = typemap.empty();
    const bool had_marker = lb_marker.has_value();
    for (const BasicDatum& d : child.typemap)
      typemap.push_back({offset + d.offset, d.bytes, d.alignment, d.parts, d.is_long_double});
    if (child.lb_marker)
      lb_marker =
          std::min(lb_marker.value_or(*child.lb_marker + offset), *child.lb_marker + offset);
    if (child.ub_marker)
      ub_marker =
          std::max(ub_marker.value_or(*child.ub_marker + offset), *child.ub_marker + offset);
    holds_empty = holds_empty || child.holds_empty;
    holds_backward = holds_backward || child.holds_backward || child.extent < 0;
    const bool mixed = !first && child.lb_marker.has_value() != had_marker;
    const bool unaligned = offset % child.alignment() != 0 || lower() % alignment() != 0;
    if (child.host_decides_bounds || child.typemap.empty() || mixed || unaligned)
      host_decides_bounds = true;
  }

  // Appends `count` copies, one extent apart.
  void place_block(const ReferenceType& child, std::int64_t count, std::int64_t offset) {
    for (std::int64_t i = 0; i < count; ++i) place(child, offset + i * child.extent);
  }

  // MPI-4.0 section 5.1.6: extent(Typemap) = ub - lb, rounded up to the strictest alignment unless
  // a marker says otherwise.
  void compute_bounds() {
    if (typemap.empty()) host_decides_bounds = holds_empty = true;
    lb = lb_marker.value_or(lower());
    std::int64_t ub = ub_marker.value_or(upper());
    if (!ub_marker && (ub - lb) % alignment() != 0) {
      ub += alignment() - (ub - lb) % alignment();
    }
    if (!lb_marker && lb % alignment() != 0) host_decides_bounds = true;
    extent = ub - lb;
  }

  void set_markers(std::int64_t lower_bound, std::int64_t upper_bound) {
    lb_marker = lower_bound;
    ub_marker = upper_bound;
  }

  // Typemap order.
  std::vector<std::int64_t> bytes() const {
    std::vector<std::int64_t> all;
    for (const BasicDatum& d : typemap)
      for (std::int64_t i = 0; i < d.bytes; ++i) all.push_back(d.offset + i);
    return all;
  }

  // MPI's rule for etypes and filetypes.
  bool is_ordered_and_non_negative() const {
    std::int64_t last = 0;
    for (const BasicDatum& d : typemap) {
      if (d.offset < last) return false;
      last = d.offset;
    }
    return true;
  }
  bool ascends_without_overlap() const {
    std::int64_t end = 0;
    for (const BasicDatum& d : typemap) {
      if (d.offset < end) return false;
      end = d.offset + d.bytes;
    }
    return true;
  }
  bool has_byte_twice() const {
    std::vector<std::int64_t> sorted = bytes();
    std::sort(sorted.begin(), sorted.end());
    return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
  }
};

}  // namespace tutti::test
