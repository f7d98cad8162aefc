// How an owner touches storage for one window: contiguous where the ranks leave no hole, otherwise
// read-modify-write inside its own domain, or piece by piece where next to nothing is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "exec/round_access.hpp"
#include "pattern/interleave.hpp"

namespace tutti {

// What one origin has in a window: stream bytes [begin, end) of `pattern`.
struct Share {
  int origin = 0;
  const Pattern* pattern = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  PackedRange packed;
  std::int64_t bytes() const { return end - begin; }
};

// The shares of all origins in an interval, in rank order, and how they lie.
struct Shares {
  std::vector<Share> list;
  std::int64_t bytes = 0;  // with overlaps counted as often as they occur
  Extent span;             // from the first byte asked for to the last
  // Told for writes only.
  bool exact = false;   // every byte of the span belongs to exactly one share
  bool full = false;    // every byte of the span belongs to a share: nothing to keep
  bool sparse = false;  // so little is asked for that pieces are better than the span
};

// Bytes of the pattern's runs on average, at least 1.
std::int64_t mean_run(const Pattern& pattern);

// Local.
Shares shares_in(const RunningCall& call, Extent interval);

// Local. Reads the span into `window` (window[0] is span.offset). Fails where the file has shrunk.
Status read_span(RunningCall& call, const Shares& shares, std::byte* window);

// Local. Makes `window` ready to be overlaid with the shares: reads what a hole keeps.
Status prepare_window(RunningCall& call, const Shares& shares, std::byte* window);
// Local. Writes the span, or stores it into the file's pages where that is quicker: but for the
// file's end, holes, atomic mode, or a page that is gone, where writing does what it always does.
Status write_span(RunningCall& call, const Shares& shares, const std::byte* window);

// Local. The same, started in a slot of the file's background and concluded later.
void start_span(RunningCall& call, const Shares& shares, std::byte* window, int slot);
Status finish_span(RunningCall& call, const Shares& shares, int slot);

// Local. One share's pieces, packed, straight to or from storage.
Status write_pieces(RunningCall& call, const Share& share, const std::byte* packed);
Status read_pieces(RunningCall& call, const Share& share, std::byte* packed);

}  // namespace tutti
