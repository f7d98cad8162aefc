// What a strategy may know about a call: the same on every rank.
#pragma once

#include <cstdint>
#include <vector>

#include "layout/stripe_layout.hpp"
#include "request/access.hpp"
#include "request/hints.hpp"

namespace tutti {

struct RankFacts {
  std::int64_t lower = 0;  // first file byte; lower == upper: nothing to do
  std::int64_t upper = 0;  // one past the last
  std::int64_t bytes = 0;
  std::int64_t pieces = 0;  // contiguous pieces, about
  bool monotone = true;     // file offsets strictly ascend along the stream
  std::int32_t node = 0;    // ranks with the same number share memory
  bool described = true;    // all ranks know this rank's pattern, not only the owners that need it
  // Bytes on each I/O node; empty where nobody counted them. For strategies with `by_io_node`.
  std::vector<std::int64_t> on_node = {};

  friend bool operator==(const RankFacts&, const RankFacts&) = default;
};

struct CallFacts {
  Direction direction = Direction::read;
  std::vector<RankFacts> ranks;
  Hints hints;
  StripeLayout layout;
  bool maps_reads = false;    // every rank can read the file through a mapping of the page cache
  bool server_cache = false;  // bytes read by one rank are quick to read for the next
  bool nonblocking = false;   // storage takes requests without being waited for
  bool single_reads = false;  // stripes of one I/O node are a request each when they are read
  bool any_order = false;     // requests cost I/O nodes the same in whatever order they come

  friend bool operator==(const CallFacts&, const CallFacts&) = default;
};

// Local: the facts of one rank's range (node is left 0).
RankFacts facts_of(const FileRange& range);

}  // namespace tutti
