#include "exec/own_access.hpp"

#include "base/wall_clock.hpp"
#include "exec/listed_access.hpp"
#include "exec/own_pieces.hpp"
#include "exec/turns.hpp"
#include "pattern/blocks.hpp"
#include "pattern/copy.hpp"
#include "transfer/independent.hpp"

namespace tutti {

namespace {

// More pieces than this are not worth to be written down at once.
constexpr std::int64_t kIssuedPieces = 4096;

Hints hints_of(const RunningCall& call) {
  Hints hints = call.file.hints;
  if (call.plan().access != AccessMethod::automatic) hints.access = call.plan().access;
  return hints;
}

// Whether this rank can hand all its requests to storage and go on before they are done.
bool can_issue(const RunningCall& call) {
  const Access& access = call.access;
  if (!call.file.device->facts().asynchronous || call.file.atomic) return false;
  if (writers_lock(call.file.hints) || !access.memory.pattern.is_contiguous()) return false;
  return facts_of(access.file).pieces <= kIssuedPieces;
}

// Bytes that came before the first gap.
std::int64_t without_gap(std::span<const Transfer> transfers) {
  std::int64_t bytes = 0;
  for (const Transfer& transfer : transfers) {
    bytes += transfer.done;
    if (transfer.done < transfer.bytes) break;
  }
  return bytes;
}

// Issues this rank's requests, lets the next ranks go, and waits.
Result<std::int64_t> issue_and_pass(RunningCall& call, Turns& turns) {
  const Access& access = call.access;
  TransferLists lists(most_list_segments(call.file.hints));
  std::byte* memory = call.direct_memory();
  for_each_run(access.file.stream, access.file.first, access.file.first + access.file.bytes,
               [&](Extent run) {
                 lists.add({call.reading() ? TransferKind::read : TransferKind::write, run.offset,
                            memory, run.bytes, 0});
                 memory += run.bytes;
                 return true;
               });
  std::vector<std::uint64_t> tickets;
  Status outcome = lists.for_each([&](std::span<Transfer> list) -> Status {
    auto ticket = call.file.device->submit(list);
    if (!ticket) return tl::make_unexpected(ticket.error());
    tickets.push_back(*ticket);
    return {};
  });
  turns.pass(0, true);
  for (const std::uint64_t ticket : tickets)
    if (Status done = call.file.device->wait(ticket); !done && outcome) outcome = done;
  if (!outcome) return tl::make_unexpected(outcome.error());
  return without_gap(lists.all());
}

class Prefetch {
 public:
  explicit Prefetch(RunningCall& call) : call_(call) {}

  std::optional<Error> run() {
    for (std::int64_t round = 0; round < call_.plan().rounds; ++round) {
      const int slot = static_cast<int>(round % Background::kSlots);
      parts_.clear();
      add_owned(call_, round, parts_);
      const auto lease =
          call_.state.windows[slot].borrow(std::max<std::int64_t>(parts_.staging_bytes(), 1));
      const bool reads = !failure_ && !parts_.empty() && lease.granted();
      if (!lease.granted()) note(fail(ErrorKind::no_memory, "no memory for a window"));
      const std::int64_t wanted = reads ? start_parts(call_, parts_, lease.data(), slot) : 0;
      call_.talk.exchange().barrier();
      for (const Piece& piece : call_.plan().phases[0].ships)
        for_each_owned(piece.window, round, [&](Extent interval) { read_own(interval); });
      if (!reads) continue;
      note(finish_parts(call_, wanted, slot));
      for (const ListedPart& part : parts_.list()) take_own(part, lease.data());
    }
    return failure_;
  }

 private:
  void note(const Status& done) {
    if (!done && !failure_) failure_ = done.error();
  }

  const OriginStream& own_stream() const {
    return call_.origins()[static_cast<std::size_t>(call_.file.rank)];
  }

  // This rank's bytes of an interval, straight from storage.
  void read_own(Extent interval) {
    const PackedRange range = call_.range_of(call_.file.rank, interval);
    if (range.bytes() <= 0 || failure_) return;
    const OriginStream& mine = own_stream();
    const MemoryRange& memory = call_.access.memory;
    const Access access{Direction::read,
                        {mine.stream.shifted(call_.outlook.shift),
                         range.begin - mine.packed_at + mine.first, range.bytes()},
                        {memory.pattern.slice(range.begin, range.end), memory.base}};
    const auto moved =
        transfer_independent(call_.file.device, access, hints_of(call_), call_.file.scratch);
    if (!moved) return note(tl::make_unexpected(moved.error()));
    if (*moved < range.bytes())
      note(fail(ErrorKind::io, call_.file.name + ": the file became shorter while it was read"));
  }

  // What this rank read ahead and needs itself.
  void take_own(const ListedPart& part, const std::byte* staging) {
    for (const Share& share : part.shares.list) {
      if (share.origin != call_.file.rank || failure_) continue;
      const auto packed = call_.state.slots.borrow(share.bytes());
      if (!packed.granted()) return note(fail(ErrorKind::no_memory, "no memory for a window"));
      pack(*share.pattern, staging + part.at - part.shares.span.offset, share.begin, share.end,
           packed.data());
      unpack(call_.access.memory.pattern, call_.access.memory.base, share.packed.begin,
             share.packed.end, packed.data());
    }
  }

  RunningCall& call_;
  ListedParts parts_;
  std::optional<Error> failure_;
};

// Whether nothing is said about how, and in what order, this rank reads.
bool may_look_at_pages(const RunningCall& call) {
  const Hints hints = hints_of(call);
  return !call.file.atomic && !call.plan().timed && hints.access == AccessMethod::automatic &&
         hints.romio_ds_read == Toggle::automatic &&
         call.outlook.cards[static_cast<std::size_t>(call.file.rank)].monotone != 0;
}

}  // namespace

std::optional<Error> run_independent(RunningCall& call, std::int64_t& moved) {
  ++call.counters().independent_calls;
  if (may_look_at_pages(call) && reads_own_pages(call) && !read_own_pages(call)) {
    moved = call.bytes_present();
    return std::nullopt;
  }
  Turns turns(call);
  if (call.plan().timed) turns.await(0);
  Result<std::int64_t> done = 0;
  if (call.plan().timed && can_issue(call)) {
    done = issue_and_pass(call, turns);
  } else {
    const auto transfer = call.file.atomic ? transfer_atomic : transfer_independent;
    done = transfer(call.file.device, call.access, hints_of(call), call.file.scratch);
    if (call.plan().timed) turns.pass(0, false);
  }
  if (!done) return done.error();
  moved = *done;
  return std::nullopt;
}

std::optional<Error> run_prefetch(RunningCall& call) { return Prefetch(call).run(); }

}  // namespace tutti
