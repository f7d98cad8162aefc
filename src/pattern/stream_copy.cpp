#include "pattern/stream_copy.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include "pattern/blocks.hpp"
#include "pattern/copy.hpp"

namespace tutti {

namespace {

// Shorter runs have too many partly filled lines: they are packed first, in a part of the
// first-level cache, and unpacked through the caches.
constexpr std::int64_t kLeastStreamedRun = 1024;
constexpr std::int64_t kPartBytes = 8 << 10;

#if defined(__x86_64__)

constexpr std::int64_t kLine = 64;

// REQUIRES: `to` at the start of a line.
void stream_lines(std::byte* to, const std::byte* from, std::int64_t lines) {
  for (std::int64_t i = 0; i < lines; ++i, to += kLine, from += kLine) {
    const auto* source = reinterpret_cast<const __m128i*>(from);
    auto* target = reinterpret_cast<__m128i*>(to);
    const __m128i a = _mm_loadu_si128(source);
    const __m128i b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2);
    const __m128i d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
}

// Without the fence that makes streamed bytes visible in order.
void stream_run(std::byte* to, const std::byte* from, std::int64_t bytes) {
  const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) % kLine);
  const std::int64_t head = std::min(bytes, past == 0 ? 0 : kLine - past);
  std::memcpy(to, from, static_cast<std::size_t>(head));
  const std::int64_t lines = (bytes - head) / kLine;
  stream_lines(to + head, from + head, lines);
  const std::int64_t done = head + lines * kLine;
  std::memcpy(to + done, from + done, static_cast<std::size_t>(bytes - done));
}

void end_streaming() { _mm_sfence(); }

#else

void stream_run(std::byte* to, const std::byte* from, std::int64_t bytes) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void end_streaming() {}

#endif

}  // namespace

void copy_streaming(std::byte* to, const std::byte* from, std::int64_t bytes) {
  stream_run(to, from, bytes);
  end_streaming();
}

namespace {

bool has_long_runs(const Pattern& pattern) {
  return pattern.size() / std::max<std::int64_t>(pattern.run_count(), 1) >= kLeastStreamedRun;
}

void pack_by_parts(const Pattern& pattern, const std::byte* base, std::int64_t begin,
                   std::int64_t end, std::byte* packed) {
  alignas(64) std::byte part[kPartBytes];
  for (std::int64_t at = begin; at < end; at += kPartBytes) {
    const std::int64_t bytes = std::min(kPartBytes, end - at);
    pack(pattern, base, at, at + bytes, part);
    stream_run(packed + (at - begin), part, bytes);
  }
  end_streaming();
}

}  // namespace

void pack_streaming(const Pattern& pattern, const std::byte* base, std::int64_t begin,
                    std::int64_t end, std::byte* packed) {
  if (!has_long_runs(pattern)) return pack_by_parts(pattern, base, begin, end, packed);
  for_each_run(pattern, begin, end, [&](Extent run) {
    stream_run(packed, base + run.offset, run.bytes);
    packed += run.bytes;
    return true;
  });
  end_streaming();
}

void unpack_streaming(const Pattern& pattern, std::byte* base, std::int64_t begin, std::int64_t end,
                      const std::byte* packed) {
  if (!has_long_runs(pattern)) return unpack(pattern, base, begin, end, packed);
  for_each_run(pattern, begin, end, [&](Extent run) {
    stream_run(base + run.offset, packed, run.bytes);
    packed += run.bytes;
    return true;
  });
  end_streaming();
}

}  // namespace tutti
