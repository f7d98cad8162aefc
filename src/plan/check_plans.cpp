#include "plan/check_plans.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/coverage.hpp"
#include "plan/facts.hpp"
#include "plan/plan_text.hpp"
#include "plan/stream_set.hpp"

namespace tutti {

namespace {

// Each check returns its objection, empty where it has none.
using Objection = std::string;

std::string rank_name(std::int64_t rank) { return "rank " + std::to_string(rank); }
std::string extent_text(Extent e) {
  return std::to_string(e.offset) + ".." + std::to_string(e.end() - 1);
}

Objection check_outline(const Plan& plan, const Plan& first, std::size_t index, std::size_t ranks) {
  const std::string who = rank_name(static_cast<std::int64_t>(index));
  if (plan.rank != static_cast<std::int64_t>(index) ||
      plan.ranks != static_cast<std::int64_t>(ranks))
    return who + " has the plan of " + rank_name(plan.rank) + " of " + std::to_string(plan.ranks);
  if (plan.strategy != first.strategy || plan.direction != first.direction)
    return who + " follows another strategy or direction than rank 0";
  if (plan.independent != first.independent) return who + " differs from rank 0 in going alone";
  if (plan.listed != first.listed) return who + " differs from rank 0 in listing pieces";
  if (plan.timed != first.timed || (!plan.timed && !plan.turn.empty()))
    return who + " differs from rank 0 in taking turns, or takes them unsaid";
  if (plan.prefetch != first.prefetch || (plan.prefetch && plan.direction != Direction::read))
    return who + " differs from rank 0 in reading ahead, or writes ahead";
  if (plan.rounds != first.rounds || plan.rounds < 0)
    return who + " has " + std::to_string(plan.rounds) + " rounds, rank 0 " +
           std::to_string(first.rounds);
  if (plan.phases.size() != first.phases.size())
    return who + " has " + std::to_string(plan.phases.size()) + " phases, rank 0 " +
           std::to_string(first.phases.size());
  if (plan.independent && (plan.rounds != 0 || !plan.phases.empty() || !plan.owned.empty()))
    return who + " goes alone and takes part in rounds";
  return {};
}

// Every wait has its word, and nobody waits in a circle.
Objection check_turns(std::span<const Plan> plans) {
  const auto ranks = std::ssize(plans);
  using Ranks = std::vector<std::int32_t> Turn::*;
  const auto has = [&](std::int32_t rank, Ranks list, std::int32_t other) {
    const auto& names = plans[static_cast<std::size_t>(rank)].turn.*list;
    return std::count(names.begin(), names.end(), other) == 1;
  };
  const std::pair<Ranks, Ranks> mirrored[] = {{&Turn::after, &Turn::before},
                                              {&Turn::before, &Turn::after},
                                              {&Turn::after_last_round, &Turn::before_next_round},
                                              {&Turn::before_next_round, &Turn::after_last_round}};
  for (const Plan& plan : plans)
    for (const auto& [mine, theirs] : mirrored)
      for (const std::int32_t other : plan.turn.*mine)
        if (other < 0 || other >= ranks || other == plan.rank || !has(other, theirs, plan.rank))
          return rank_name(plan.rank) + " and " + rank_name(other) + " differ in who goes first";
  std::vector<std::size_t> waits_for;
  std::vector<std::int32_t> free;
  for (const Plan& plan : plans) {
    waits_for.push_back(plan.turn.after.size());
    if (plan.turn.after.empty()) free.push_back(plan.rank);
  }
  for (std::size_t next = 0; next < free.size(); ++next)
    for (const std::int32_t waiting : plans[static_cast<std::size_t>(free[next])].turn.before)
      if (--waits_for[static_cast<std::size_t>(waiting)] == 0) free.push_back(waiting);
  return free.size() == plans.size() ? Objection() : "ranks wait for each other in a circle";
}

// A piece on its way, told the same from both ends.
struct Link {
  std::int32_t from = 0;
  std::int32_t to = 0;
  std::int32_t origin = 0;
  MovingWindow window;

  auto key() const {
    const Stripes& s = window.stripes;
    return std::make_tuple(from, to, origin, window.start, window.bytes, window.step, window.end,
                           s.offset, s.unit, s.stride);
  }
  friend bool operator<(const Link& a, const Link& b) { return a.key() < b.key(); }
  friend bool operator==(const Link& a, const Link& b) { return a.key() == b.key(); }

  std::string text() const {
    return "the bytes of " + rank_name(origin) + " in " + window_text(window) + " from " +
           rank_name(from) + " to " + rank_name(to);
  }
};

// `shipped` becomes what all ranks ship in the phase, in order.
Objection check_links(std::span<const Plan> plans, std::size_t phase, std::vector<Link>& shipped) {
  const auto ranks = std::ssize(plans);
  std::vector<Link> landed;
  for (const Plan& plan : plans) {
    const Phase& exchange = plan.phases[phase];
    for (const Piece& piece : exchange.ships)
      shipped.push_back({plan.rank, piece.peer, piece.origin, piece.window});
    for (const Piece& piece : exchange.lands)
      landed.push_back({piece.peer, plan.rank, piece.origin, piece.window});
  }
  std::sort(shipped.begin(), shipped.end());
  std::sort(landed.begin(), landed.end());
  const auto [ship, land] =
      std::mismatch(shipped.begin(), shipped.end(), landed.begin(), landed.end());
  const std::string where = "phase " + std::to_string(phase) + ": ";
  if (ship != shipped.end() && (land == landed.end() || *ship < *land))
    return where + ship->text() + " are shipped and do not land";
  if (land != landed.end()) return where + land->text() + " land and are not shipped";
  for (const Link& link : shipped) {
    const auto exists = [&](std::int32_t rank) { return rank >= 0 && rank < ranks; };
    if (!exists(link.from) || !exists(link.to) || !exists(link.origin) || link.from == link.to)
      return where + link.text() + ": no such pair of ranks";
  }
  return {};
}

Objection check_windows(std::span<const FileRange> accesses, std::span<const Plan> plans,
                        std::int64_t staging_bound) {
  Extent asked;
  for (const FileRange& access : accesses) {
    if (access.bytes <= 0) continue;
    const RankFacts facts = facts_of(access);
    const std::int64_t lower = asked.bytes == 0 ? facts.lower : std::min(asked.offset, facts.lower);
    const std::int64_t upper = asked.bytes == 0 ? facts.upper : std::max(asked.end(), facts.upper);
    asked = {lower, upper - lower};
  }
  std::vector<Extent> owned;
  for (const Plan& plan : plans) {
    const std::string who = rank_name(plan.rank);
    if (plan.staging_bytes > staging_bound)
      return who + " stages " + std::to_string(plan.staging_bytes) + " bytes, more than " +
             std::to_string(staging_bound);
    if (plan.window_bytes != plans[0].window_bytes || plan.window_bytes < plan.staging_bytes)
      return who + " takes " + std::to_string(plan.window_bytes) + " bytes for the largest window";
    for (std::int64_t round = 0; round < plan.rounds; ++round) {
      if (bytes_in_round(plan.owned, round) > plan.staging_bytes)
        return who + " has larger windows than staging in round " + std::to_string(round);
      std::int64_t intervals = 0;
      for_each_interval(plan.owned, round, [&](Extent interval) {
        owned.push_back(interval);
        ++intervals;
        return true;
      });
      if (intervals > 1 && !plan.listed)
        return who + " has windows of several pieces and does not say so";
    }
  }
  std::sort(owned.begin(), owned.end(),
            [](const Extent& a, const Extent& b) { return a.offset < b.offset; });
  for (std::size_t i = 0; i < owned.size(); ++i) {
    if (owned[i].offset < asked.offset || owned[i].end() > asked.end())
      return "an owner's window " + extent_text(owned[i]) + " leaves the range asked for";
    if (i > 0 && owned[i].offset < owned[i - 1].end())
      return "owners' windows " + extent_text(owned[i - 1]) + " and " + extent_text(owned[i]) +
             " overlap";
  }
  return {};
}

// Follows every byte as (origin, stream position) from its origin to its owner.
class Journey {
 public:
  Journey(std::span<const FileRange> accesses, std::span<const Plan> plans)
      : accesses_(accesses), plans_(plans), held_(plans.size() * plans.size()) {
    for (std::size_t rank = 0; rank < plans.size(); ++rank) {
      const FileRange& access = accesses[rank];
      held(rank, rank).add({access.first, access.first + access.bytes});
    }
  }

  Objection exchange(std::int64_t round, std::span<const Link> links) {
    struct Arrival {
      std::size_t rank = 0;
      std::size_t origin = 0;
      StreamRange bytes;
    };
    std::vector<Arrival> arrivals;
    for (const Link& link : links) {
      const auto origin = static_cast<std::size_t>(link.origin);
      const bool has_all = for_each_interval(link.window, round, [&](Extent interval) {
        const StreamRange bytes = stream_in(accesses_[origin], interval);
        if (!take(static_cast<std::size_t>(link.from), origin, bytes)) return false;
        arrivals.push_back({static_cast<std::size_t>(link.to), origin, bytes});
        return true;
      });
      if (!has_all) return in_round(round) + link.text() + " are not all there to be shipped";
    }
    for (const Arrival& arrival : arrivals) {
      if (!held(arrival.rank, arrival.origin).add(arrival.bytes))
        return in_round(round) + rank_name(static_cast<std::int64_t>(arrival.rank)) +
               " lands bytes that it has";
      if (arrival.rank != arrival.origin) in_transit_ += arrival.bytes.bytes();
    }
    return {};
  }

  Objection access(std::int64_t round) {
    for (const Plan& plan : plans_) {
      const auto rank = static_cast<std::size_t>(plan.rank);
      for (std::size_t origin = 0; origin < plans_.size(); ++origin) {
        const bool has_all = for_each_interval(plan.owned, round, [&](Extent interval) {
          return take(rank, origin, stream_in(accesses_[origin], interval));
        });
        if (!has_all)
          return in_round(round) + rank_name(plan.rank) + " lacks bytes of " +
                 rank_name(static_cast<std::int64_t>(origin)) + " in its window";
      }
    }
    if (in_transit_ != 0)
      return in_round(round) + std::to_string(in_transit_) + " bytes stay with a rank between";
    return {};
  }

  Objection arrived() {
    for (std::size_t rank = 0; rank < plans_.size(); ++rank)
      if (!held(rank, rank).empty())
        return "not every byte of " + rank_name(static_cast<std::int64_t>(rank)) + " is accessed";
    return {};
  }

 private:
  static std::string in_round(std::int64_t round) {
    return "round " + std::to_string(round) + ": ";
  }
  StreamSet& held(std::size_t rank, std::size_t origin) {
    return held_[rank * plans_.size() + origin];
  }
  bool take(std::size_t rank, std::size_t origin, StreamRange bytes) {
    if (rank != origin) in_transit_ -= bytes.bytes();
    return held(rank, origin).take(bytes);
  }

  std::span<const FileRange> accesses_;
  std::span<const Plan> plans_;
  std::vector<StreamSet> held_;
  std::int64_t in_transit_ = 0;
};

Objection check_rounds(std::span<const FileRange> accesses, std::span<const Plan> plans) {
  std::vector<std::vector<Link>> links(plans[0].phases.size());
  for (std::size_t phase = 0; phase < links.size(); ++phase)
    if (auto objection = check_links(plans, phase, links[phase]); !objection.empty())
      return objection;
  Journey journey(accesses, plans);
  for (std::int64_t round = 0; round < plans[0].rounds; ++round) {
    for (const std::vector<Link>& phase : links)
      if (auto objection = journey.exchange(round, phase); !objection.empty()) return objection;
    if (auto objection = journey.access(round); !objection.empty()) return objection;
  }
  return journey.arrived();
}

bool leaves_holes(std::span<const FileRange> accesses, std::span<const Plan> plans) {
  const auto covered = [&](Extent interval) { return union_covers(accesses, interval); };
  for (const Plan& plan : plans)
    for (std::int64_t round = 0; round < plan.rounds; ++round)
      if (!for_each_interval(plan.owned, round, covered)) return true;
  return false;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  return out << (verdict.objection.empty() ? "sound" : "not sound: " + verdict.objection);
}

Verdict check_plans(std::span<const FileRange> accesses, std::span<const Plan> plans,
                    std::int64_t staging_bound) {
  if (accesses.size() != plans.size() || plans.empty())
    return {"there are " + std::to_string(accesses.size()) + " accesses and " +
            std::to_string(plans.size()) + " plans"};
  for (std::size_t rank = 0; rank < plans.size(); ++rank)
    if (auto objection = check_outline(plans[rank], plans[0], rank, plans.size());
        !objection.empty())
      return {std::move(objection)};
  if (auto objection = check_turns(plans); !objection.empty()) return {std::move(objection)};
  if (plans[0].independent) return Verdict::sound();
  for (std::size_t rank = 0; rank < accesses.size(); ++rank)
    if (accesses[rank].bytes > 0 && !accesses[rank].stream.is_monotone())
      return {rank_name(static_cast<std::int64_t>(rank)) + " has a stream without rank()"};
  if (auto objection = check_rounds(accesses, plans); !objection.empty())
    return {std::move(objection)};
  if (auto objection = check_windows(accesses, plans, staging_bound); !objection.empty())
    return {std::move(objection)};
  Verdict verdict;
  verdict.rewrites_holes = plans[0].direction == Direction::write && leaves_holes(accesses, plans);
  return verdict;
}

}  // namespace tutti
