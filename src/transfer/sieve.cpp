#include "transfer/sieve.hpp"

#include <algorithm>
#include <cstring>

#include "pattern/copy.hpp"

namespace tutti {

namespace {

// Parts this long stay in the cache between the transfer and the copy, and keep a request large.
constexpr std::int64_t kCacheBytes = 512 << 10;

// Parts of a mapping: large enough that setting one up does not count.
constexpr std::int64_t kMapBytes = 8 << 20;

// The part of the stream from `begin` whose file bytes fit into one buffer.
struct Part {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Extent covered;  // from its first byte to its last
};

Part next_part(const FileRange& range, std::int64_t begin, std::int64_t buffer_bytes) {
  const std::int64_t offset = range.stream.offset_of(begin);
  const std::int64_t stop = range.first + range.bytes;
  const std::int64_t end = std::min(stop, range.stream.bytes_below(offset + buffer_bytes));
  return {begin, end, {offset, range.stream.offset_of(end - 1) + 1 - offset}};
}

std::int64_t part_bytes(const SieveLimits& limits, const DeviceFacts& facts) {
  return std::min(limits.buffer_bytes, std::max(kCacheBytes, facts.best_bytes));
}

}  // namespace

Result<std::int64_t> sieve_read(Device& device, const FileRange& range, std::byte* packed,
                                const SieveLimits& limits, Scratch& scratch) {
  const std::int64_t bytes = part_bytes(limits, device->facts());
  const auto buffer = scratch.borrow(bytes);
  if (!buffer.granted()) return fail(ErrorKind::no_memory, "no memory for a sieving buffer");
  const std::int64_t stop = range.first + range.bytes;
  for (std::int64_t k = range.first; k < stop;) {
    const Part part = next_part(range, k, bytes);
    const auto got = device.read(part.covered.offset,
                                 {buffer.data(), static_cast<std::size_t>(part.covered.bytes)});
    if (!got) return got;
    const bool ended = *got < part.covered.bytes;
    const std::int64_t end =
        ended ? std::clamp(range.stream.bytes_below(part.covered.offset + *got), k, part.end)
              : part.end;
    pack(range.stream, buffer.data() - part.covered.offset, k, end, packed + (k - range.first));
    k = end;
    if (ended) return k - range.first;
  }
  return range.bytes;
}

Result<std::int64_t> sieve_write(Device& device, const FileRange& range, const std::byte* packed,
                                 const SieveLimits& limits, Scratch& scratch) {
  const std::int64_t bytes = part_bytes(limits, device->facts());
  const auto buffer = scratch.borrow(bytes);
  if (!buffer.granted()) return fail(ErrorKind::no_memory, "no memory for a sieving buffer");
  const std::int64_t stop = range.first + range.bytes;
  for (std::int64_t k = range.first; k < stop;) {
    const Part part = next_part(range, k, bytes);
    const std::span<std::byte> window(buffer.data(), static_cast<std::size_t>(part.covered.bytes));
    auto lock = RangeLock::acquire(device, part.covered, LockMode::exclusive);
    if (!lock) return tl::make_unexpected(lock.error());
    if (part.end - part.begin < part.covered.bytes) {
      const auto got = device.read(part.covered.offset, window);
      if (!got) return got;
      std::memset(window.data() + *got, 0, window.size() - static_cast<std::size_t>(*got));
    }
    unpack(range.stream, window.data() - part.covered.offset, k, part.end,
           packed + (k - range.first));
    if (const auto put = device.write(part.covered.offset, window); !put) return put;
    k = part.end;
  }
  return range.bytes;
}

Result<std::int64_t> mapped_read(Device& device, const FileRange& range, std::byte* packed) {
  const auto size = device->size();
  if (!size) return size;
  const std::int64_t stop =
      std::clamp(range.stream.bytes_below(*size), range.first, range.first + range.bytes);
  const FileRange present{range.stream, range.first, stop - range.first};
  for (std::int64_t k = range.first; k < stop;) {
    const Part part = next_part(present, k, kMapBytes);
    const auto seen = device->view_mapped(part.covered, [&](const std::byte* mapped) {
      pack(range.stream, mapped - part.covered.offset, k, part.end, packed + (k - range.first));
    });
    if (!seen) return tl::make_unexpected(seen.error());
    k = part.end;
  }
  return present.bytes;
}

Result<std::int64_t> mapped_write(Device& device, const FileRange& range, const std::byte* packed) {
  const std::int64_t stop = range.first + range.bytes;
  for (std::int64_t k = range.first; k < stop;) {
    const Part part = next_part(range, k, kMapBytes);
    const auto stored = device->store_mapped(part.covered, [&](std::byte* mapped) {
      unpack(range.stream, mapped - part.covered.offset, k, part.end, packed + (k - range.first));
    });
    if (!stored) return tl::make_unexpected(stored.error());
    k = part.end;
  }
  return range.bytes;
}

}  // namespace tutti
