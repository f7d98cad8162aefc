// One rank's part of one call: which file bytes, which memory bytes, in which order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pattern/pattern.hpp"

namespace tutti {

enum class Direction : std::uint8_t { read, write };

// Bytes [first, first + bytes) of the stream `stream`, whose offsets are absolute file offsets.
struct FileRange {
  Pattern stream;
  std::int64_t first = 0;
  std::int64_t bytes = 0;
};

// Stream bytes [0, bytes) of `pattern`, whose offsets count from `base`.
struct MemoryRange {
  Pattern pattern;
  std::byte* base = nullptr;
};

// The k-th byte of the file range and the k-th byte of the memory range belong together.
// REQUIRES: memory.pattern.size() >= file.bytes.
struct Access {
  Direction direction = Direction::read;
  FileRange file;
  MemoryRange memory;
};

}  // namespace tutti
