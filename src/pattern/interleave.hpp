// Copies between one window and many packed streams, so that each part of the window is touched
// while it is in cache, whatever the number of streams and however finely they interleave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pattern/pattern.hpp"

namespace tutti {

// Stream bytes [begin, end) of `pattern`, packed from `packed` on.
struct Source {
  const Pattern* pattern = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  const std::byte* packed = nullptr;
};

struct Sink {
  const Pattern* pattern = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::byte* packed = nullptr;
};

// The same as unpack() of each source in turn: where sources overlap, the last one wins. Pattern
// offsets count from `window_base`. REQUIRES: 0 <= begin <= end <= pattern->size() for each.
void unpack_many(std::span<const Source> sources, std::byte* window_base);

// The same as pack() of each sink in turn.
void pack_many(std::span<const Sink> sinks, const std::byte* window_base);

}  // namespace tutti
