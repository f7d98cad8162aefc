// The mapping list of the irregular inspector: which logical address lies at which physical one,
// and the datatypes made from it. Logical: position in the file. Physical: position in the region.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "strategy/inplace_descriptor.hpp"

namespace tutti::inplace {

// The papers' element <logical, physical>, for `length` elements consecutive in both.
struct MappedRun {
  std::int64_t logical = 0;
  std::int64_t physical = 0;
  std::int64_t length = 1;

  friend bool operator==(const MappedRun&, const MappedRun&) = default;
};
// Sorted by logical, then by physical address, unless a function says otherwise.
using MappingList = std::vector<MappedRun>;

// The list of elements that lie one after the other from `physical` on and have the logical
// addresses `logical`: a process's own elements at its alloc_offset, or received ones.
MappingList mapping_list(std::span<const Tuple> logical, std::int64_t physical);

// Adds what arrived.
void add_list(MappingList& list, std::span<const MappedRun> added);

// Cuts the list at logical address `at`, as a phase does with the group's file interval.
struct SplitList {
  MappingList below;
  MappingList from;
};
SplitList split_list(std::span<const MappedRun> list, std::int64_t at);

// The same runs in ascending order of physical address: the order in which elements are sent.
MappingList by_physical(MappingList list);

// Compute_Datatype: the physical addresses in the order of the list as {offset, length} tuples.
Tuples compute_datatype(std::span<const MappedRun> list);

// The logical addresses, likewise.
Tuples logical_tuples(std::span<const MappedRun> list);

// Compute_Datatype_Intervaled: a new interval starts where physical addresses stop increasing, and
// intervals that are the one before moved by a constant positive distance become its repetitions.
Repeats compute_datatype_intervaled(std::span<const MappedRun> list);

// The list in element order even where several runs hold the same logical addresses: runs are cut
// so that any two share all logical addresses or none. Written in this order, the last run wins,
// which is the one from the highest rank, as a region is ordered by the rank its elements come
// from.
MappingList separate_overlaps(MappingList list);

}  // namespace tutti::inplace
