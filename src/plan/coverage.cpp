#include "plan/coverage.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "pattern/blocks.hpp"
#include "pattern/regions.hpp"
#include "plan/file_marks.hpp"
#include "plan/plan.hpp"

namespace tutti {

namespace {

// More pieces of one rank than this in a window, without a period, go to the bitmap.
constexpr std::size_t kRegionsPerAccess = 256;
// Bytes of file per bitmap: 128 KiB of memory, which stays in cache.
constexpr std::int64_t kChunkBytes = 1 << 20;
// Stretches without a period that lie closer together than this are examined as one.
constexpr std::int64_t kJoinBytes = 4096;

using Ranges = std::vector<const FileRange*>;

// The least common multiple, 0 where it is larger than `most`.
std::int64_t bounded_lcm(std::int64_t a, std::int64_t b, std::int64_t most) {
  const std::int64_t factor = b / std::gcd(a, b);
  return a > most / factor ? 0 : a * factor;
}

// The regions that contain the current place of a sweep, by period.
class ActiveRegions {
 public:
  void enter(std::int64_t period) {
    if (const auto found = find(period); found != counts_.end())
      ++found->regions;
    else
      counts_.push_back({period, 1});
  }

  void leave(std::int64_t period) {
    const auto found = find(period);
    if (--found->regions == 0) counts_.erase(found);
  }

  bool none() const { return counts_.empty(); }
  bool has(std::int64_t period) { return find(period) != counts_.end(); }

  // The period of them all, 0 where there is none up to `most`.
  std::int64_t common_period(std::int64_t most) const {
    std::int64_t common = 1;
    for (const Count& count : counts_) {
      if (count.period == 0) return 0;
      common = bounded_lcm(common, count.period, most);
      if (common == 0) return 0;
    }
    return common;
  }

 private:
  struct Count {
    std::int64_t period = 0;
    std::int64_t regions = 0;
  };
  std::vector<Count>::iterator find(std::int64_t period) {
    return std::find_if(counts_.begin(), counts_.end(),
                        [&](const Count& count) { return count.period == period; });
  }

  std::vector<Count> counts_;  // few: the ranks of a program have few shapes
};

// The parts of a window that decide whether it is covered.
struct Undecided {
  std::vector<Extent> periods;  // one period of a stretch that repeats
  std::vector<Extent> rough;    // stretches without a period

  void add_rough(std::int64_t begin, std::int64_t end) {
    if (!rough.empty() && begin - rough.back().end() < kJoinBytes)
      rough.back().bytes = end - rough.back().offset;
    else
      rough.push_back({begin, end - begin});
  }
};

struct Edge {
  std::int64_t at = 0;
  std::int64_t period = 0;
  bool begins = false;
};

class CoverageJudge {
 public:
  explicit CoverageJudge(CoverageWork& work) : work_(work) {}

  bool covers(const Ranges& accesses, Extent window) {
    Ranges present;
    switch (count(accesses, window, present)) {
      case Answer::yes:
        return true;
      case Answer::no:
        return false;
      case Answer::open:
        break;
    }
    Undecided undecided;
    if (!sweep(present, window, undecided)) return false;
    for (const Extent part : undecided.periods)
      if (!covers(present, part)) return false;
    for (const Extent part : undecided.rough)
      if (!(part == window ? marks_all(present, part) : covers(present, part))) return false;
    return true;
  }

 private:
  enum class Answer { yes, no, open };

  // What the sizes alone tell. `present` becomes the accesses with a byte in the window.
  static Answer count(const Ranges& accesses, Extent window, Ranges& present) {
    std::int64_t missing = window.bytes;
    for (const FileRange* access : accesses) {
      const std::int64_t bytes = stream_in(*access, window).bytes();
      if (bytes == window.bytes) return Answer::yes;
      if (bytes > 0) present.push_back(access);
      missing = std::max<std::int64_t>(missing - bytes, 0);
    }
    return missing > 0 ? Answer::no : Answer::open;
  }

  std::vector<Edge> edges_of(const Ranges& accesses, Extent window) {
    std::vector<Region> regions;
    for (const FileRange* access : accesses) {
      const std::int64_t last = access->first + access->bytes - 1;
      const std::int64_t begin = std::max(access->stream.offset_of(access->first), window.offset);
      const std::int64_t end = std::min(access->stream.offset_of(last) + 1, window.end());
      append_regions(access->stream, {begin, end - begin}, kRegionsPerAccess, regions);
    }
    work_.regions += std::ssize(regions);
    std::vector<Edge> edges;
    edges.reserve(2 * regions.size());
    for (const Region& region : regions) {
      edges.push_back({region.begin, region.period, true});
      edges.push_back({region.end, region.period, false});
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.at < b.at; });
    return edges;
  }

  // False where a hole is certain; otherwise the window is covered if all of `undecided` is.
  bool sweep(const Ranges& accesses, Extent window, Undecided& undecided) {
    const std::vector<Edge> edges = edges_of(accesses, window);
    if (edges.empty() || edges.front().at > window.offset) return false;
    ActiveRegions active;
    for (std::size_t i = 0; i < edges.size();) {
      const std::int64_t at = edges[i].at;
      for (; i < edges.size() && edges[i].at == at; ++i)
        edges[i].begins ? active.enter(edges[i].period) : active.leave(edges[i].period);
      const std::int64_t next = i < edges.size() ? edges[i].at : window.end();
      if (at == next || active.has(1)) continue;
      if (active.none()) return false;
      // Every byte of the stretch is like one of its first period.
      const std::int64_t period = active.common_period((next - at) / 2);
      if (period > 0)
        undecided.periods.push_back({at, period});
      else
        undecided.add_rough(at, next);
    }
    return true;
  }

  bool marks_all(const Ranges& accesses, Extent window) {
    for (std::int64_t at = window.offset; at < window.end(); at += kChunkBytes) {
      const Extent chunk{at, std::min(kChunkBytes, window.end() - at)};
      Ranges present;
      const Answer answer = count(accesses, chunk, present);
      if (answer == Answer::no) return false;
      if (answer == Answer::yes) continue;
      marks_.reset(chunk);
      for (const FileRange* access : present) mark(*access, chunk);
      if (!marks_.all_marked()) return false;
    }
    return true;
  }

  void mark(const FileRange& access, Extent chunk) {
    const StreamRange part = stream_in(access, chunk);
    for_each_block(access.stream, part.begin, part.end, [&](const Block& block) {
      for (std::int64_t i = 0; i < block.count; ++i)
        marks_.mark(block.offset + i * block.stride, block.bytes);
      work_.runs += block.count;
      return true;
    });
  }

  CoverageWork& work_;
  FileMarks marks_;
};

}  // namespace

bool union_covers(std::span<const FileRange> accesses, Extent window, CoverageWork* work) {
  if (window.bytes <= 0) return true;
  Ranges ranges;
  for (const FileRange& access : accesses)
    if (access.bytes > 0) ranges.push_back(&access);
  CoverageWork unused;
  return CoverageJudge(work == nullptr ? unused : *work).covers(ranges, window);
}

}  // namespace tutti
