#include "exec/window_access.hpp"

#include <algorithm>
#include <cstring>

#include "base/wall_clock.hpp"
#include "plan/coverage.hpp"
#include "transfer/independent.hpp"

namespace tutti {

namespace {

// Pieces further apart than this on average, filling less than an eighth of the span, are listed.
constexpr std::int64_t kSparsePitchBytes = 4096;

// Spans with less in them say nothing about how to write one.
constexpr std::int64_t kMeasuredBytes = 16 << 10;

enum StoringWay : int { kWritten = 0, kStored = 1 };

// Whether bytes may go into the file's pages without a write: its first span in a call is always
// written, for the sake of the file's times.
bool may_store(const RunningCall& call) {
  return call.spans_written > 0 && !call.file.atomic && call.file.device->facts().maps;
}

// False where it must be written instead: behind its end the file has no pages, and another process
// may cut it short at any time. REQUIRES: the span is in view.
bool store_span(RunningCall& call, Extent span, const std::byte* window) {
  if (call.file.device->size().value_or(0) < span.end()) return false;
  return call.state.pages.view().change(
      span, [&](std::byte* at) { std::memcpy(at, window, static_cast<std::size_t>(span.bytes)); });
}

bool covers_span(const Shares& shares) {
  std::vector<FileRange> ranges;
  for (const Share& share : shares.list)
    ranges.push_back({*share.pattern, share.begin, share.bytes()});
  return union_covers(ranges, shares.span);
}

Status pieces(RunningCall& call, const Share& share, std::byte* packed) {
  Hints hints = call.file.atomic ? without_locks(call.file.hints) : call.file.hints;
  hints.access = AccessMethod::list;
  const Access access{call.access.direction,
                      {share.pattern->shifted(call.outlook.shift), share.begin, share.bytes()},
                      {Pattern::run(share.bytes()), packed}};
  const auto moved = transfer_independent(call.file.device, access, hints, call.file.scratch);
  if (!moved) return tl::make_unexpected(moved.error());
  call.counters().device_bytes += *moved;
  if (*moved < share.bytes())
    return fail(ErrorKind::io, call.file.name + ": the file became shorter while it was read");
  return {};
}

}  // namespace

std::int64_t mean_run(const Pattern& pattern) {
  return std::max<std::int64_t>(1, pattern.size() / std::max<std::int64_t>(1, pattern.run_count()));
}

Shares shares_in(const RunningCall& call, Extent interval) {
  Shares shares;
  std::int64_t lower = interval.end();
  std::int64_t upper = interval.offset;
  std::int64_t pieces = 0;
  for (int r = 0; r < call.file.ranks; ++r) {
    const OriginStream& origin = call.origins()[static_cast<std::size_t>(r)];
    const PackedRange packed = call.range_of(r, interval);
    if (packed.bytes() <= 0) continue;
    const std::int64_t begin = packed.begin - origin.packed_at + origin.first;
    const std::int64_t end = begin + packed.bytes();
    shares.list.push_back({r, &origin.stream, begin, end, packed});
    shares.bytes += packed.bytes();
    lower = std::min(lower, origin.stream.offset_of(begin));
    upper = std::max(upper, origin.stream.offset_of(end - 1) + 1);
    pieces += packed.bytes() / mean_run(origin.stream) + 1;
  }
  if (shares.list.empty()) return shares;
  shares.span = {lower, upper - lower};
  shares.full = !call.reading() && shares.bytes >= shares.span.bytes &&
                (shares.list.size() == 1 || call.inspection().covered || covers_span(shares));
  shares.exact = shares.full && shares.bytes == shares.span.bytes;
  const bool keeps_holes = !call.reading() && !shares.full;
  shares.sparse =
      (shares.bytes < shares.span.bytes / 8 && shares.span.bytes / pieces > kSparsePitchBytes) ||
      (keeps_holes && !call.file.readable);
  return shares;
}

Status read_span(RunningCall& call, const Shares& shares, std::byte* window) {
  const double began = wall_seconds();
  const auto got = call.file.device.read(shares.span.offset + call.outlook.shift,
                                         {window, static_cast<std::size_t>(shares.span.bytes)});
  call.counters().access_s += wall_seconds() - began;
  ++call.counters().device_operations;
  if (!got) return tl::make_unexpected(got.error());
  call.counters().device_bytes += *got;
  if (*got < shares.span.bytes)
    return fail(ErrorKind::io, call.file.name + ": the file became shorter while it was read");
  return {};
}

Status prepare_window(RunningCall& call, const Shares& shares, std::byte* window) {
  if (shares.full) return {};
  const auto got = call.file.device.read(shares.span.offset + call.outlook.shift,
                                         {window, static_cast<std::size_t>(shares.span.bytes)});
  ++call.counters().device_operations;
  if (!got) return tl::make_unexpected(got.error());
  // Beyond the end of the file a hole reads as zeros.
  std::memset(window + *got, 0, static_cast<std::size_t>(shares.span.bytes - *got));
  return {};
}

Status write_span(RunningCall& call, const Shares& shares, const std::byte* window) {
  const Extent span{shares.span.offset + call.outlook.shift, shares.span.bytes};
  SeenPages& pages = call.state.pages;
  QuickestWay& ways = pages.of_kind(call.state.storing);
  const bool may = may_store(call);
  const bool stores = may && ways.next() == kStored;
  const double came = wall_seconds();
  const bool sees = stores && pages.see(call.file.device, span);
  // Pages that are kept are taken in once for many calls: that is not measured.
  const double began = pages.keeps() ? wall_seconds() : came;
  Status done;
  if (!sees || !store_span(call, span, window)) {
    const auto put =
        call.file.device.write(span.offset, {window, static_cast<std::size_t>(span.bytes)});
    if (!put) done = tl::make_unexpected(put.error());
  }
  const double ended = wall_seconds();
  if (may && span.bytes >= kMeasuredBytes)
    ways.went(stores ? kStored : kWritten, (ended - began) / static_cast<double>(span.bytes));
  ++call.spans_written;
  ++call.counters().device_operations;
  call.counters().access_s += ended - came;
  if (done) call.counters().device_bytes += span.bytes;
  return done;
}

void start_span(RunningCall& call, const Shares& shares, std::byte* window, int slot) {
  ++call.counters().device_operations;
  call.state.background(call.file.device)
      .start(slot, {call.reading() ? TransferKind::read : TransferKind::write,
                    shares.span.offset + call.outlook.shift, window, shares.span.bytes, 0});
}

Status finish_span(RunningCall& call, const Shares& shares, int slot) {
  const double began = wall_seconds();
  const auto moved = call.state.background(call.file.device).finish(slot);
  call.counters().access_s += wall_seconds() - began;
  if (!moved) return tl::make_unexpected(moved.error());
  call.counters().device_bytes += *moved;
  if (*moved < shares.span.bytes)
    return fail(ErrorKind::io, call.file.name + ": the file became shorter while it was read");
  return {};
}

Status write_pieces(RunningCall& call, const Share& share, const std::byte* packed) {
  return pieces(call, share, const_cast<std::byte*>(packed));
}

Status read_pieces(RunningCall& call, const Share& share, std::byte* packed) {
  return pieces(call, share, packed);
}

}  // namespace tutti
