#include "exec/held_plan.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/wall_clock.hpp"
#include "exec/collective.hpp"
#include "exec/collective_state.hpp"
#include "mpi/agree.hpp"
#include "mpi/call.hpp"

namespace tutti {

namespace {

std::optional<Error> not_same(const OpenFile& file, const char* what) {
  return Error{ErrorKind::not_same, file.name + ": " + what + " is not the same on all processes"};
}

// What the ranks say about a run, judged alike by all of them.
std::optional<Error> disagreement(const OpenFile& file, const std::vector<CallCard>& cards) {
  for (const CallCard& card : cards) {
    if (card.entry != cards[0].entry) return not_same(file, "the plan that is run");
    if (card.shift != cards[0].shift) return not_same(file, "the file position of a plan");
  }
  return std::nullopt;
}

bool any_refused(const std::vector<CallCard>& cards) {
  return std::any_of(cards.begin(), cards.end(), [](const CallCard& c) { return c.refused != 0; });
}

}  // namespace

Result<HeldPlan> hold_plan(OpenFile& file, Direction direction, const Pattern& shape,
                           const std::optional<Error>& refusal) {
  auto state = collective_state(file);
  if (!state) return tl::make_unexpected(state.error());
  RanksTalk talk(file, **state, program_caller());
  const InspectCall inspecting = inspect_call(file, **state, talk);
  const Access access{direction, {shape, 0, shape.size()}, {}};
  CallCard card = make_card(inspecting, access);
  card.refused = refusal ? 1 : 0;
  auto outlook = inspect(inspecting, access, card);
  if (!outlook) return tl::make_unexpected(outlook.error());
  std::optional<Error> failure = refusal;
  if (std::any_of(outlook->cards.begin(), outlook->cards.end(),
                  [&](const CallCard& other) { return other.reading != card.reading; }))
    failure = not_same(file, "the direction of a plan");
  if (auto agreed = agree(file.comm.get(), failure); !agreed)
    return tl::make_unexpected(agreed.error());
  return HeldPlan{0, direction, shape, std::move(outlook->inspection), outlook->shift};
}

Result<std::int64_t> run_held(OpenFile& file, const HeldPlan& plan, const HeldRun& run,
                              MpiCaller& caller) {
  const std::int64_t position = run.position;
  const double began = wall_seconds();
  ++file.counters.collective_calls;
  const std::optional<Error> refusal = publish_own(file, run.refusal);
  const Access access{
      plan.direction, {plan.shape.shifted(position), 0, plan.shape.size()}, run.memory};
  CallCard card;
  card.entry = plan.id;
  card.shift = position;
  card.reading = plan.direction == Direction::read ? 1 : 0;
  card.bytes = plan.shape.size();
  const RankFacts mine = facts_of(access.file);
  card.lower = mine.lower;
  card.upper = mine.upper;
  card.pieces = mine.pieces;
  card.monotone = mine.monotone ? 1 : 0;
  card.refused = refusal ? 1 : 0;
  describe_memory(card, file, access);
  Outlook outlook{nullptr, plan.shift + position, true, {}};
  outlook.cards.resize(static_cast<std::size_t>(file.ranks));
  RanksTalk talk(file, *file.collective, caller);
  if (auto told = tell_all(inspect_call(file, *file.collective, talk), card, outlook.cards); !told)
    return tl::make_unexpected(told.error());
  file.counters.agree_s += wall_seconds() - began;
  std::optional<Error> failure = refusal;
  if (!any_refused(outlook.cards)) {
    failure = disagreement(file, outlook.cards);
    if (!failure) {
      outlook.inspection = plan.inspection;
      ++file.counters.plan_hits;
    }
  }
  auto moved = execute_agreed(file, access, outlook, failure, talk);
  file.counters.call_s += wall_seconds() - began;
  return moved;
}

}  // namespace tutti
