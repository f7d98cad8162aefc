// Who exchanges with whom in which phase, which part of the file each process ends up with, and
// where own and incoming elements lie in a process's region. For a power of two of processes these
// are the papers' formulas; for any other number groups split unevenly.
//
// At the start of phase ph a group is the processes with equal rank mod 2^ph. It owns one interval
// of the file. In the phase the members with even rank / 2^ph keep the interval's lower part and
// the others the upper part, in proportion to their numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tutti::inplace {

// ceil(log2(ranks)). REQUIRES: ranks >= 1, here and below; 0 <= rank < ranks.
int phase_count(int ranks);

// Rank r exchanges with r + 2^ph or r - 2^ph. The last member of an odd group has no partner of its
// own: it shares the one of the member before, sends there and receives nothing in this phase.
struct Partners {
  std::optional<int> target;  // none: alone in its group
  std::vector<int> sources;   // ascending, at most two

  friend bool operator==(const Partners&, const Partners&) = default;
};
Partners partners(int rank, int phase, int ranks);

// Half-open.
struct RankRange {
  int first = 0;
  int last = 0;

  constexpr int size() const { return last - first; }
  friend constexpr bool operator==(const RankRange&, const RankRange&) = default;
};

// Whose elements `rank` can hold at the start of `phase` (phase_count: at the end).
RankRange origins(int rank, int phase, int ranks);

// Which of the file's `ranks` parts, counted from its start, the group of `rank` owns at the start
// of `phase`; at phase_count it is one part: for powers of two the bit-reversed rank.
RankRange group_parts(int rank, int phase, int ranks);
int file_part(int rank, int ranks);

// Half-open, in elements.
struct Interval {
  std::int64_t first = 0;
  std::int64_t last = 0;

  constexpr std::int64_t size() const { return last - first; }
  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

// A file interval cut into `ranks` parts whose sizes differ by one element at most.
struct FileParts {
  Interval file;
  int ranks = 1;

  std::int64_t cut(int part) const;  // start of `part`; cut(ranks) is the end
  Interval interval(RankRange parts) const { return {cut(parts.first), cut(parts.last)}; }
};

// What the group of `rank` owns at the start of `phase`.
Interval group_interval(const FileParts& parts, int rank, int phase);

// What `rank` gives away in `phase`: the part of its group's interval that its target's side keeps.
Interval outgoing_interval(const FileParts& parts, int rank, int phase);

// The elements that arrive from `source` in `phase`, at [offset, offset + count) of the region.
struct Slot {
  int phase = 0;
  int source = 0;
  std::int64_t offset = 0;
  std::int64_t count = 0;

  friend bool operator==(const Slot&, const Slot&) = default;
};

// Own elements and slots lie side by side in ascending order of the rank they come from, without
// gaps: a position is the sum of the counts before it.
struct Region {
  std::int64_t elements = 0;
  std::int64_t alloc_offset = 0;  // where the process's own elements start
  std::int64_t own_elements = 0;
  std::vector<Slot> slots;  // in ascending order of offset

  friend bool operator==(const Region&, const Region&) = default;
};

// Local. Lays out the region of `rank`; offsets in `incoming` are ignored.
// REQUIRES: every source appears once, as it does in the phases of any process.
Region lay_out_region(int rank, std::int64_t own_elements, std::vector<Slot> incoming);

// The slot of a source. REQUIRES: there is one.
const Slot& slot_of(const Region& region, int source);

}  // namespace tutti::inplace
