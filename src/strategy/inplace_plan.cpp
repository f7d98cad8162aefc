#include "strategy/inplace_plan.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tutti::inplace {

namespace {

tl::unexpected<Error> unsound(const InplacePlan& plan, std::string_view what) {
  return fail(ErrorKind::internal,
              "in-place plan of rank " + std::to_string(plan.rank) + ": " + std::string(what));
}

bool inside(std::span<const Tuple> tuples, Interval bounds) {
  return std::ranges::all_of(tuples, [&](const Tuple& tuple) {
    return tuple.length > 0 && tuple.offset >= bounds.first && tuple.end() <= bounds.last;
  });
}

const Exchange* exchange_with(const Phase& phase, int peer) {
  const auto found = std::ranges::find(phase, peer, &Exchange::peer);
  return found == phase.end() ? nullptr : &*found;
}

bool adjacent(const Region& region, int rank) {
  std::int64_t offset = 0;
  bool own_passed = false;
  for (const Slot& slot : region.slots) {
    if (!own_passed && slot.source > rank) {
      if (offset != region.alloc_offset) return false;
      offset += region.own_elements;
      own_passed = true;
    }
    if (slot.offset != offset) return false;
    offset += slot.count;
  }
  if (!own_passed && offset != region.alloc_offset) return false;
  return offset + (own_passed ? 0 : region.own_elements) == region.elements;
}

Status check_region(const InplacePlan& plan) {
  if (!adjacent(plan.region, plan.rank)) return unsound(plan, "own data and slots do not tile");
  for (std::size_t ph = 0; ph < plan.phases.size(); ++ph) {
    for (const Exchange& exchange : plan.phases[ph]) {
      if (!inside(exchange.send, {0, plan.region.elements})) {
        return unsound(plan, "sends from outside its region");
      }
      if (exchange.receive_count == 0) continue;
      const auto slot = std::ranges::find(plan.region.slots, exchange.peer, &Slot::source);
      if (slot == plan.region.slots.end() || slot->phase != static_cast<int>(ph) ||
          slot->offset != exchange.receive_offset || slot->count != exchange.receive_count) {
        return unsound(plan, "receives outside of the slot of its partner");
      }
    }
  }
  return {};
}

Status check_messages(std::span<const InplacePlan> plans, const InplacePlan& plan) {
  for (std::size_t ph = 0; ph < plan.phases.size(); ++ph) {
    for (const Exchange& exchange : plan.phases[ph]) {
      if (exchange.peer < 0 || exchange.peer >= plan.ranks || exchange.peer == plan.rank) {
        return unsound(plan, "has an impossible partner");
      }
      const auto& other = plans[static_cast<std::size_t>(exchange.peer)].phases[ph];
      const Exchange* back = exchange_with(other, plan.rank);
      if (back == nullptr) return unsound(plan, "has a partner that does not know of it");
      if (back->receive_count != total_length(exchange.send)) {
        return unsound(plan, "sends another number of elements than its partner expects");
      }
    }
  }
  return {};
}

Status check_file(const InplacePlan& plan) {
  const Tuples packed = expand(plan.pack);
  if (!inside(packed, {0, plan.region.elements})) return unsound(plan, "packs outside its region");
  if (!inside(plan.file, plan.domain)) return unsound(plan, "writes outside its domain");
  if (total_length(packed) != total_length(plan.file)) {
    return unsound(plan, "packs another number of elements than it writes");
  }
  return {};
}

std::string text(std::span<const Tuple> tuples) {
  std::string line;
  for (const Tuple& tuple : tuples) {
    line += '{';
    line += std::to_string(tuple.offset) + ',' + std::to_string(tuple.length) + '}';
  }
  return line.empty() ? "nothing" : line;
}

}  // namespace

Phase make_phase(const InplacePlan& plan, int phase, Tuples send) {
  const Partners with = partners(plan.rank, phase, plan.ranks);
  Phase result;
  for (const int source : with.sources) {
    const Slot& slot = slot_of(plan.region, source);
    result.push_back({source, {}, slot.offset, slot.count});
  }
  if (!with.target) return result;
  const auto same = std::ranges::find(result, *with.target, &Exchange::peer);
  if (same != result.end()) {
    same->send = std::move(send);
  } else {
    result.push_back({*with.target, std::move(send), 0, 0});
  }
  return result;
}

Status check_inplace_plans(std::span<const InplacePlan> plans) {
  std::vector<Interval> domains;
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    const InplacePlan& plan = plans[rank];
    if (plan.rank != static_cast<int>(rank) || plan.ranks != static_cast<int>(plans.size())) {
      return unsound(plan, "is not in its place among the plans");
    }
    if (plan.phases.size() != static_cast<std::size_t>(phase_count(plan.ranks))) {
      return unsound(plan, "has a wrong number of phases");
    }
    domains.push_back(plan.domain);
  }
  for (const InplacePlan& plan : plans) {
    if (auto sound = check_region(plan); !sound) return sound;
    if (auto sound = check_messages(plans, plan); !sound) return sound;
    if (auto sound = check_file(plan); !sound) return sound;
  }
  std::ranges::sort(domains, {},
                    [](Interval domain) { return std::pair(domain.first, domain.last); });
  for (std::size_t i = 1; i < domains.size(); ++i) {
    if (domains[i - 1].last > domains[i].first) {
      return fail(ErrorKind::internal, "in-place plans: two processes own the same file elements");
    }
  }
  return {};
}

std::string inplace_plan_text(const InplacePlan& plan) {
  std::string result = "rank " + std::to_string(plan.rank) + " of " + std::to_string(plan.ranks) +
                       ": region of " + std::to_string(plan.region.elements) + ", own " +
                       std::to_string(plan.region.own_elements) + " at " +
                       std::to_string(plan.region.alloc_offset) + '\n';
  for (std::size_t ph = 0; ph < plan.phases.size(); ++ph) {
    for (const Exchange& exchange : plan.phases[ph]) {
      result += "  phase " + std::to_string(ph) + " with " + std::to_string(exchange.peer) +
                ": send " + text(exchange.send) + ", receive " +
                std::to_string(exchange.receive_count) + " at " +
                std::to_string(exchange.receive_offset) + '\n';
    }
  }
  result += "  pack";
  for (const Repeat& repeat : plan.pack) {
    result += ' ' + text(repeat.tuples);
    if (repeat.count > 1) {
      result += " x" + std::to_string(repeat.count) + " by " + std::to_string(repeat.stride);
    }
  }
  return result + " to file " + text(plan.file) + '\n';
}

}  // namespace tutti::inplace
