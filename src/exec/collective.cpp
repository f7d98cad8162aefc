#include "exec/collective.hpp"

#include <algorithm>
#include <array>

#include "base/wall_clock.hpp"
#include "exec/arena_run.hpp"
#include "exec/collective_state.hpp"
#include "exec/messages.hpp"
#include "exec/own_access.hpp"
#include "exec/own_pieces.hpp"
#include "exec/pull.hpp"
#include "exec/route.hpp"
#include "exec/starting_hints.hpp"
#include "strategy/call_shape.hpp"
#include "transfer/independent.hpp"

namespace tutti {

namespace {

// All stop at the same byte: behind the last one that any rank knows of, because a rank finds what
// it has written itself.
std::int64_t end_of_file(const std::vector<CallCard>& cards) {
  std::int64_t end = 0;
  for (const CallCard& card : cards) end = std::max(end, card.file_bytes);
  return end;
}

struct Executed {
  std::optional<Error> failure;
  std::int64_t moved = 0;
  std::optional<Carried> carried;
};

// Collective.
Executed execute(RunningCall& call) {
  Executed done;
  if (call.plan().independent) {
    done.failure = run_independent(call, done.moved);
    return done;
  }
  if (call.plan().prefetch) {
    done.failure = run_prefetch(call);
    done.moved = call.bytes_present();
    return done;
  }
  const Route route = route_of(call);
  done.carried = route.carried;
  switch (route.transport) {
    case Transport::messages:
      done.failure = run_messages(call);
      break;
    case Transport::peer_memory:
      done.failure = run_pull(call);
      break;
    case Transport::arena:
      ++call.counters().arena_calls;
      done.failure = call.reading() ? read_by_arena(call) : write_by_arena(call);
      break;
    case Transport::own_pages:
      done.failure = read_own_pages(call);
      break;
  }
  done.moved = call.bytes_present();
  return done;
}

// Collective. Atomic mode: what all ranks access together is locked by rank 0, for all of them,
// before anybody begins. Among each other they are in the order of ranks without locks: where
// writes overlap, the higher rank's bytes land last.
struct LockedFile {
  RangeLock held;  // until all ranks are done
  std::int64_t file_bytes = 0;
};
Result<LockedFile> lock_for_all(OpenFile& file, const Outlook& outlook, Direction direction,
                                Exchange& exchange) {
  LockedFile locked;
  std::optional<Error> failure;
  if (file.rank == 0) {
    const Extent accessed = accessed_range(outlook.cards);
    if (accessed.bytes > 0) {
      auto granted = lock_for_atomic(file.device, accessed, direction);
      if (granted)
        locked.held = std::move(*granted);
      else
        failure = granted.error();
    }
  }
  if (auto agreed = exchange.agree(failure); !agreed) return tl::make_unexpected(agreed.error());
  if (direction == Direction::write) return locked;
  // The file may have grown while rank 0 waited.
  const std::int64_t mine = file.device->size().value_or(0);
  std::vector<std::int64_t> all(static_cast<std::size_t>(file.ranks));
  if (auto told = exchange.tell_all(std::as_bytes(std::span(&mine, 1)),
                                    reinterpret_cast<std::byte*>(all.data()));
      !told)
    return tl::make_unexpected(told.error());
  locked.file_bytes = *std::max_element(all.begin(), all.end());
  return locked;
}

// What the storage said that nobody understood when it was asked for this call's range; what it
// said when the file was opened was told then.
std::string layout_problem(const OpenFile& file) {
  if (file.collective->inspector.layout.complete()) return {};
  return file.device->layout_report().problem;
}

// Local. Once for a file: that no I/O nodes are known here, where the strategy asks for them or the
// storage has told something that was not understood.
void say_not_striped(OpenFile& file, const Inspection& found) {
  if (file.rank != 0 || file.collective->said_not_striped) return;
  const StripeLayout& layout = found.facts.layout;
  const bool missed = file.hints.strategy == "resonant" && found.plan.strategy != "resonant";
  if (!missed && file.collective->inspector.layout.complete()) return;
  const CallShape shape = shape_of(found.facts);
  if (shape.bytes == 0 || (layout.striped() && layout.covers(shape.range))) return;
  const std::string problem = layout_problem(file);
  if (!missed && problem.empty()) return;
  file.collective->said_not_striped = true;
  complain(file.name + ": not striped as far as is known" +
           (problem.empty() ? "" : " (" + problem + ")") +
           (missed ? "; tutti_strategy=resonant does what two-phase does" : ""));
}

// Local. Ranks of one node share a clock; this one may have had to wait for a core since.
double when_all_had_come(std::span<const CallCard> cards) {
  double last = 0;
  for (const CallCard& card : cards) last = std::max(last, card.came_at);
  return std::min(last, wall_seconds());
}

}  // namespace

void describe_memory(CallCard& card, OpenFile& file, const Access& access) {
  const Pattern& memory = access.memory.pattern;
  card.direct = memory.is_contiguous() ? 1 : 0;
  const DeviceFacts facts = file.device->facts();
  const bool reading = access.direction == Direction::read;
  card.maps_reads = facts.maps_reads && (!reading || file.device->is_dense()) ? 1 : 0;
  card.server_cache = facts.server_cache ? 1 : 0;
  card.nonblocking = facts.asynchronous ? 1 : 0;
  card.single_reads = facts.single_reads ? 1 : 0;
  card.any_order = facts.any_order ? 1 : 0;
  if (file.collective) card.carrying_votes = file.collective->carrying.votes();
  card.memory_address = reinterpret_cast<std::uint64_t>(access.memory.base + memory.first());
  if (reading) card.file_bytes = file.device->size().value_or(0);
}

Result<std::int64_t> execute_agreed(OpenFile& file, const Access& access, const Outlook& outlook,
                                    std::optional<Error> failure, RanksTalk& talk) {
  Executed done;
  double began = outlook.planned_before ? when_all_had_come(outlook.cards) : wall_seconds();
  LockedFile locked{{}, end_of_file(outlook.cards)};
  if (file.atomic && outlook.inspection && !outlook.inspection->plan.independent) {
    auto granted = lock_for_all(file, outlook, access.direction, talk.exchange());
    if (!granted) return tl::make_unexpected(granted.error());
    locked = std::move(*granted);
    began = wall_seconds();
  }
  if (outlook.inspection) {
    say_not_striped(file, *outlook.inspection);
    RunningCall call{
        file, *file.collective, access, outlook, talk, locked.file_bytes - outlook.shift};
    file.device->distrust();
    call.state.pages.begin(accessed_range(outlook.cards));
    done = execute(call);
    failure = done.failure;
    call.state.pages.end();
    // Ranks find next what owners have written for them, wherever they look for it.
    if (access.direction == Direction::write) {
      if (auto published = file.device->publish(); !published && !failure)
        failure = published.error();
      file.device->distrust();
    }
  }
  const double executed = wall_seconds();
  const Status agreed = talk.exchange().agree(failure);
  const double ended = wall_seconds();
  file.counters.agree_s += ended - executed;
  if (!agreed) return tl::make_unexpected(agreed.error());
  if (done.carried)
    file.collective->carrying.went(done.carried->kind, done.carried->way,
                                   (ended - began) / static_cast<double>(done.carried->bytes));
  return done.moved;
}

std::optional<Error> publish_own(OpenFile& file, const std::optional<Error>& refusal) {
  if (refusal) return refusal;
  const Status published = file.device->publish();
  return published ? std::nullopt : std::optional(published.error());
}

Result<std::int64_t> transfer_collective(OpenFile& file, const Access& access,
                                         const std::optional<Error>& refused, MpiCaller& caller) {
  const double began = wall_seconds();
  ++file.counters.collective_calls;
  const std::optional<Error> refusal = publish_own(file, refused);
  auto state = collective_state(file);
  if (!state) return tl::make_unexpected(state.error());
  RanksTalk talk(file, **state, caller);
  const InspectCall inspecting = inspect_call(file, **state, talk);
  CallCard card = make_card(inspecting, access);
  describe_memory(card, file, access);
  card.refused = refusal ? 1 : 0;
  auto outlook = inspect(inspecting, access, card);
  if (!outlook) return tl::make_unexpected(outlook.error());
  auto moved = execute_agreed(file, access, *outlook, refusal, talk);
  file.counters.call_s += wall_seconds() - began;
  return moved;
}

}  // namespace tutti
