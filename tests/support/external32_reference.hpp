// What external32 makes of data, one byte after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "support/random_types.hpp"

namespace tutti::test {

// Numbers of `width` bytes in the other order, one byte after the other.
inline std::string reversed(const std::string& memory, std::size_t width) {
  std::string file;
  for (std::size_t i = 0; i < memory.size(); ++i)
    file += memory[i / width * width + width - 1 - i % width];
  return file;
}

inline std::string random_text(std::mt19937_64& random, std::size_t bytes) {
  std::string text(bytes, '\0');
  for (char& byte : text) byte = static_cast<char>(random());
  return text;
}

// The x87 format taken apart: sign, 15 bits of exponent, 63 bits behind the leading one.
inline std::string quad_of(const char* memory) {
  std::uint64_t mantissa = 0;
  std::memcpy(&mantissa, memory, 8);
  const auto byte = [](std::uint64_t value) { return static_cast<char>(value & 0xff); };
  std::string file{memory[9], memory[8]};
  const std::uint64_t fraction = mantissa << 1;
  for (int shift = 56; shift >= 0; shift -= 8) file += byte(fraction >> shift);
  return file + std::string(6, '\0');
}

// A random type's elements in the file, from the reference typemap.
inline std::string in_file(const RandomType& type, const char* origin, int count) {
  std::string file;
  for (int copy = 0; copy < count; ++copy)
    for (const BasicDatum& datum : type.typemap) {
      const char* const at = origin + copy * type.extent + datum.offset;
      const auto bytes = static_cast<std::size_t>(datum.bytes);
      file += datum.is_long_double
                  ? quad_of(at)
                  : reversed(std::string(at, bytes), bytes / static_cast<std::size_t>(datum.parts));
    }
  return file;
}

// Memory for `count` copies of a type, whose long doubles are numbers.
struct TypedMemory {
  TypedMemory(const RandomType& type, int count, std::mt19937_64& random) {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (int copy = 0; copy < count; ++copy)
      for (const BasicDatum& datum : type.typemap) {
        low = std::min(low, copy * type.extent + datum.offset);
        high = std::max(high, copy * type.extent + datum.offset + datum.bytes);
      }
    bytes = random_text(random, static_cast<std::size_t>(high - low));
    origin = -low;
    for (int copy = 0; copy < count; ++copy)
      for (const BasicDatum& datum : type.typemap) {
        if (!datum.is_long_double) continue;
        const long double value = static_cast<long double>(random()) / 3 - 1e18L;
        char* const at = bytes.data() + origin + copy * type.extent + datum.offset;
        std::memset(at, 0, sizeof value);
        std::memcpy(at, &value, 10);
      }
  }
  std::string bytes;
  std::int64_t origin = 0;
};

inline bool overlaps_itself(const RandomType& type, int count) {
  std::vector<std::int64_t> all;
  for (int copy = 0; copy < count; ++copy)
    for (const std::int64_t byte : type.bytes) all.push_back(copy * type.extent + byte);
  std::sort(all.begin(), all.end());
  return std::adjacent_find(all.begin(), all.end()) != all.end();
}

}  // namespace tutti::test
