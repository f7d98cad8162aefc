#include "transfer/independent.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "pattern/blocks.hpp"
#include "pattern/copy.hpp"
#include "transfer/sieve.hpp"

namespace tutti {

namespace {

// Below this mean distance between pieces one large transfer beats one request for each: a system
// call costs about as much as copying this many bytes.
constexpr std::int64_t kSievePitchBytes = 4096;
// Mapping a page costs about as much as writing one piece; setting a mapping up as much as some
// dozens.
constexpr std::int64_t kMapPitchBytes = 2048;
constexpr std::int64_t kMapPieces = 64;
// Memory runs at least this long are handed to the device as they are, without packing.
constexpr std::int64_t kDirectRunBytes = 16 << 10;
constexpr std::int64_t kPackBytes = 1 << 20;

std::int64_t mean_pitch(const FileRange& file) {
  const Pattern& stream = file.stream;
  const std::int64_t span =
      stream.offset_of(file.first + file.bytes - 1) + 1 - stream.offset_of(file.first);
  // Runs are spread evenly enough over the stream for a choice of method.
  const double runs_per_byte =
      static_cast<double>(stream.run_count()) / static_cast<double>(stream.size());
  const double runs = std::max(1.0, runs_per_byte * static_cast<double>(file.bytes));
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(span) / runs));
}

bool file_is_contiguous(const FileRange& file) {
  if (file.stream.is_contiguous()) return true;
  const std::int64_t last = file.first + file.bytes - 1;
  return file.stream.is_monotone() &&
         file.stream.offset_of(last) - file.stream.offset_of(file.first) == file.bytes - 1;
}

// From the first byte to the last, whatever their order.
Extent covered(const FileRange& file) {
  if (file.stream.is_monotone()) {
    const std::int64_t first = file.stream.offset_of(file.first);
    return {first, file.stream.offset_of(file.first + file.bytes - 1) + 1 - first};
  }
  const Pattern touched = file.stream.slice(file.first, file.first + file.bytes);
  return {touched.lower(), touched.upper() - touched.lower()};
}

// Sends transfers to the device in batches of at most `segments` and keeps count of what moved.
class Batch {
 public:
  Batch(Device& device, TransferKind kind, std::int64_t segments)
      : device_(device), kind_(kind), segments_(static_cast<std::size_t>(segments)) {}

  // Queues one piece. False when the batch failed or met the end of the file.
  bool add(std::int64_t offset, std::byte* memory, std::int64_t bytes) {
    pieces_.push_back({kind_, offset, memory, bytes, 0});
    return pieces_.size() < segments_ || flush();
  }

  bool flush() {
    if (pieces_.empty()) return !ended_;
    status_ = device_.transfer(pieces_);
    if (status_) {
      for (const Transfer& piece : pieces_) {
        moved_ += piece.done;
        if (piece.done < piece.bytes) {
          ended_ = true;
          break;
        }
      }
    }
    pieces_.clear();
    return status_ && !ended_;
  }

  bool ended() const { return ended_; }
  Result<std::int64_t> outcome() const {
    if (!status_) return tl::make_unexpected(status_.error());
    return moved_;
  }

 private:
  Device& device_;
  TransferKind kind_;
  std::size_t segments_;
  std::vector<Transfer> pieces_;
  Status status_;
  std::int64_t moved_ = 0;
  bool ended_ = false;
};

TransferKind kind_of(Direction direction) {
  return direction == Direction::read ? TransferKind::read : TransferKind::write;
}

// Stream bytes [begin, end) of the file range, to or from `packed`, one transfer per run.
Result<std::int64_t> listed(Device& device, Direction direction, const FileRange& range,
                            std::byte* packed, std::int64_t segments) {
  Batch batch(device, kind_of(direction), segments);
  std::int64_t done = 0;
  for_each_run(range.stream, range.first, range.first + range.bytes, [&](Extent run) {
    std::byte* memory = packed + done;
    done += run.bytes;
    return batch.add(run.offset, memory, run.bytes);
  });
  batch.flush();
  return batch.outcome();
}

// A contiguous piece of the file against memory in long runs: one vectored transfer, no packing.
Result<std::int64_t> direct_runs(Device& device, const Access& access, std::int64_t segments) {
  Batch batch(device, kind_of(access.direction), segments);
  std::int64_t offset = access.file.stream.offset_of(access.file.first);
  for_each_run(access.memory.pattern, 0, access.file.bytes, [&](Extent run) {
    const std::int64_t at = offset;
    offset += run.bytes;
    return batch.add(at, access.memory.base + run.offset, run.bytes);
  });
  batch.flush();
  return batch.outcome();
}

// Memory is one run at `packed`; the file may have any shape.
Result<std::int64_t> from_packed(Device& device, Direction direction, const FileRange& range,
                                 std::byte* packed, AccessMethod method, const SieveLimits& limits,
                                 Scratch& scratch, std::int64_t segments) {
  if (file_is_contiguous(range)) {
    Transfer piece{kind_of(direction), range.stream.offset_of(range.first), packed, range.bytes, 0};
    if (auto moved = device.transfer({&piece, 1}); !moved)
      return tl::make_unexpected(moved.error());
    return piece.done;
  }
  if (method == AccessMethod::mapped && range.stream.is_monotone()) {
    const DeviceFacts facts = device->facts();
    if (direction == Direction::write && facts.maps) return mapped_write(device, range, packed);
    if (direction == Direction::read && facts.maps_reads)
      return device->is_dense() ? mapped_read(device, range, packed)
                                : sieve_read(device, range, packed, limits, scratch);
  }
  if (method == AccessMethod::sieve && range.stream.is_monotone())
    return direction == Direction::read ? sieve_read(device, range, packed, limits, scratch)
                                        : sieve_write(device, range, packed, limits, scratch);
  const bool single = method == AccessMethod::naive || !range.stream.is_monotone();
  return listed(device, direction, range, packed, single ? 1 : segments);
}

}  // namespace

AccessMethod choose_method(const Access& access, const Hints& hints, const DeviceFacts& facts) {
  if (hints.access != AccessMethod::automatic) return hints.access;
  const bool reading = access.direction == Direction::read;
  const Toggle wish = reading ? hints.romio_ds_read : hints.romio_ds_write;
  if (wish == Toggle::enable) return AccessMethod::sieve;
  if (wish == Toggle::disable) return AccessMethod::list;
  const std::int64_t pitch = mean_pitch(access.file);
  if (reading && pitch > kSievePitchBytes) return AccessMethod::list;
  if (reading)
    return facts.maps_reads && access.file.bytes / pitch >= kMapPieces ? AccessMethod::mapped
                                                                       : AccessMethod::sieve;
  const bool dense = pitch <= kMapPitchBytes && access.file.bytes / pitch >= kMapPieces;
  return facts.maps && dense ? AccessMethod::mapped : AccessMethod::list;
}

Result<std::int64_t> transfer_independent(Device& device, const Access& access, const Hints& hints,
                                          Scratch& scratch) {
  const FileRange& file = access.file;
  const Pattern& memory = access.memory.pattern;
  if (file.bytes == 0) return 0;
  const AccessMethod method =
      file_is_contiguous(file) ? AccessMethod::list : choose_method(access, hints, device->facts());
  const SieveLimits limits{access.direction == Direction::read ? hints.ind_rd_buffer_size
                                                               : hints.ind_wr_buffer_size};
  // A siever must not find a write of ours between its read and its write.
  RangeLock held;
  const bool sieves = method == AccessMethod::sieve && file.stream.is_monotone();
  if (access.direction == Direction::write && writers_lock(hints) && !sieves) {
    auto granted = RangeLock::acquire(device, covered(file), LockMode::exclusive);
    if (!granted) return tl::make_unexpected(granted.error());
    held = std::move(*granted);
  }
  if (memory.is_contiguous())
    return from_packed(device, access.direction, file, access.memory.base + memory.first(), method,
                       limits, scratch, most_list_segments(hints));
  if (file_is_contiguous(file) && memory.size() / memory.run_count() >= kDirectRunBytes)
    return direct_runs(device, access, most_list_segments(hints));

  // Both sides in pieces: through a packed buffer, part by part.
  const Buffer staging = allocate_buffer(std::min(file.bytes, kPackBytes));
  if (!staging) return fail(ErrorKind::no_memory, "no memory for a packing buffer");
  std::int64_t moved = 0;
  while (moved < file.bytes) {
    const std::int64_t part = std::min(kPackBytes, file.bytes - moved);
    const FileRange range{file.stream, file.first + moved, part};
    if (access.direction == Direction::write)
      pack(memory, access.memory.base, moved, moved + part, staging.get());
    auto done = from_packed(device, access.direction, range, staging.get(), method, limits, scratch,
                            most_list_segments(hints));
    if (!done) return done;
    if (access.direction == Direction::read)
      unpack(memory, access.memory.base, moved, moved + *done, staging.get());
    moved += *done;
    if (*done < part) break;
  }
  return moved;
}

Result<RangeLock> lock_for_atomic(Device& device, Extent span, Direction direction) {
  if (!device->facts().has_locks)
    return fail(ErrorKind::unsupported_operation,
                "the device has no locks, which atomic mode needs");
  return RangeLock::acquire(device, span,
                            direction == Direction::read ? LockMode::shared : LockMode::exclusive);
}

Result<std::int64_t> transfer_atomic(Device& device, const Access& access, const Hints& hints,
                                     Scratch& scratch) {
  if (access.file.bytes == 0) return 0;
  const auto held = lock_for_atomic(device, covered(access.file), access.direction);
  if (!held) return tl::make_unexpected(held.error());
  return transfer_independent(device, access, without_locks(hints), scratch);
}

}  // namespace tutti
