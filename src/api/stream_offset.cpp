#include "api/stream_offset.hpp"

#include <string>

#include "pattern/blocks.hpp"

namespace tutti {

namespace {

// 1 + the last byte of the pattern's stream that lies below `offset`; 0 where none does.
std::int64_t stream_end_below(const Pattern& pattern, std::int64_t offset) {
  std::int64_t end = 0;
  std::int64_t passed = 0;
  for_each_run(pattern, 0, pattern.size(), [&](Extent run) {
    if (run.offset < offset) end = passed + std::min(run.bytes, offset - run.offset);
    passed += run.bytes;
    return true;
  });
  return end;
}

// For filetypes that overlap themselves or their neighbours, whose bytes have no rank: the last
// tile that begins before the end, then run by run inside the few tiles that can reach back from
// it.
std::int64_t stream_end_overlapping(const FileView& view, std::int64_t bytes) {
  const std::int64_t first = view.displacement + view.tile.lower();
  if (bytes <= first) return 0;
  if (view.tile_extent <= 0) return 0;
  const std::int64_t last_tile = (bytes - 1 - first) / view.tile_extent;
  const std::int64_t tile_start = view.displacement + last_tile * view.tile_extent;
  return last_tile * view.tile.size() + stream_end_below(view.tile, bytes - tile_start);
}

}  // namespace

Result<std::int64_t> stream_byte(const FileView& view, std::int64_t etypes) {
  std::int64_t bytes = 0;
  if (etypes < 0)
    return fail(ErrorKind::invalid_argument,
                "the offset is negative (" + std::to_string(etypes) + ")");
  if (__builtin_mul_overflow(etypes, view.etype_bytes, &bytes) ||
      (!view.stream.empty() && bytes > view.stream.size()))
    return fail(ErrorKind::invalid_argument,
                "the offset " + std::to_string(etypes) + " is beyond what a file can hold");
  return bytes;
}

std::int64_t etypes_before(const FileView& view, std::int64_t bytes) {
  if (view.stream.empty()) return 0;
  const std::int64_t below = view.stream.is_monotone() ? view.stream.bytes_below(bytes)
                                                       : stream_end_overlapping(view, bytes);
  return (below + view.etype_bytes - 1) / view.etype_bytes;
}

}  // namespace tutti
