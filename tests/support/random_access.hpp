// Random collective calls: what every rank accesses, with the plain lists of bytes as the
// reference. The same seed gives the same set on every rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pattern/shapes.hpp"
#include "request/access.hpp"
#include "support/random_pattern.hpp"

namespace tutti::testing {

enum class Overlap { allowed, forbidden };

struct AccessPart {
  FileRange file;
  Pattern memory;
  std::int64_t memory_bytes = 0;
  std::vector<std::int64_t> files;     // file offset of each byte moved
  std::vector<std::int64_t> memories;  // memory offset of each byte moved
};

struct AccessSet {
  std::vector<AccessPart> parts;
  std::int64_t file_bytes = 0;    // length of the file beforehand
  std::int64_t buffer_bytes = 0;  // a staging size that makes several rounds
};

namespace access_detail {

inline void finish(AccessPart& part, PatternMaker& maker) {
  const std::int64_t bytes = part.file.bytes;
  const std::int64_t shape = maker.below(3);
  if (shape == 0) part.memory = Pattern::run(bytes, maker.below(5));
  if (shape == 1)
    part.memory = Pattern::repeat(bytes / 4 + 1, 4 + maker.below(20), Pattern::run(4));
  if (shape == 2)
    part.memory = Pattern::repeat(bytes / 6 + 1, -9, Pattern::run(6)).shifted(9 * (bytes / 6 + 1));
  part.memory_bytes = part.memory.upper() + 3;
  for (std::int64_t k = 0; k < bytes; ++k) {
    part.files.push_back(part.file.stream.offset_of(part.file.first + k));
    part.memories.push_back(part.memory.offset_of(k));
  }
}

}  // namespace access_detail

// Block-cyclic vectors, interleaved tiles, random ascending patterns, blocks side by side, empty
// ranks and one rank that holds everything.
inline AccessSet make_access_set(std::uint64_t seed, int ranks, Overlap overlap) {
  PatternMaker maker(seed * 7919 + 13);
  AccessSet set;
  const std::int64_t kind = maker.below(overlap == Overlap::allowed ? 5 : 4);
  const std::int64_t block = 1 + maker.below(40);
  const std::int64_t width = std::int64_t{1} << maker.below(5);
  const std::int64_t elements = 1 + maker.below(4000 / width);
  const std::int64_t base = maker.below(50);
  const auto loner = static_cast<int>(maker.below(ranks));
  const std::int64_t tile_first = maker.below(30);
  for (int r = 0; r < ranks; ++r) {
    AccessPart part;
    if (kind == 0 || kind == 1) {  // block-cyclic; kind 1 leaves holes where ranks are empty
      const Pattern share = block_cyclic({ranks, r, elements, block, width});
      part.file = {share.shifted(base), 0, share.size()};
    } else if (kind == 2) {  // contiguous blocks side by side
      const std::int64_t bytes = maker.below(3000);
      part.file = {Pattern::run(bytes, base + r * 3000), 0, bytes};
    } else if (kind == 3) {  // one rank has everything
      const std::int64_t bytes = r == loner ? elements * width : 0;
      const Pattern vector = Pattern::tiled(Pattern::run(width), width + block);
      part.file = {vector, tile_first, bytes};
    } else {  // anything, overlapping included
      const Pattern tile = maker.ascending(3).pattern;
      const Pattern stream = Pattern::tiled(tile, tile.upper() + maker.below(20)).shifted(base);
      part.file = {stream, maker.below(60), tile.empty() ? 0 : maker.below(3000)};
    }
    if (kind == 1 && maker.chance(30)) part.file.bytes = 0;
    access_detail::finish(part, maker);
    set.parts.push_back(std::move(part));
  }
  set.file_bytes = maker.chance(50) ? 0 : maker.below(6000);
  set.buffer_bytes = maker.chance(50) ? 16 << 20 : 64 + maker.below(2000);
  return set;
}

}  // namespace tutti::testing
