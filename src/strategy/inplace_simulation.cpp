#include "strategy/inplace_simulation.hpp"

#include <algorithm>
#include <cstddef>

namespace tutti::inplace {

namespace {

Values gather(const Values& from, std::span<const Tuple> tuples) {
  Values packed;
  for (const Tuple& tuple : tuples) {
    packed.insert(packed.end(), from.begin() + tuple.offset, from.begin() + tuple.end());
  }
  return packed;
}

void scatter(const Values& packed, std::span<const Tuple> tuples, Values& to) {
  auto next = packed.begin();
  for (const Tuple& tuple : tuples) {
    std::copy_n(next, tuple.length, to.begin() + tuple.offset);
    next += tuple.length;
  }
}

Tuples slot(const Exchange& exchange) {
  return {{exchange.receive_offset, exchange.receive_count}};
}

struct Message {
  std::size_t to = 0;
  Values values;
  Tuples place;
};

// Every exchange as (sender, its exchange, receiver, the receiver's exchange).
template <class Visit>
void for_each_message(std::span<const InplacePlan> plans, int phase, const Visit& visit) {
  const auto ph = static_cast<std::size_t>(phase);
  for (std::size_t sender = 0; sender < plans.size(); ++sender) {
    for (const Exchange& exchange : plans[sender].phases[ph]) {
      const auto receiver = static_cast<std::size_t>(exchange.peer);
      const Phase& remote = plans[receiver].phases[ph];
      visit(sender, exchange, receiver,
            *std::ranges::find(remote, static_cast<int>(sender), &Exchange::peer));
    }
  }
}

void deliver(std::span<const Message> messages, std::span<Values> regions) {
  for (const Message& message : messages) {
    scatter(message.values, message.place, regions[message.to]);
  }
}

}  // namespace

Values fill_region(const InplacePlan& plan, std::span<const std::int64_t> own) {
  Values region(static_cast<std::size_t>(plan.region.elements), kEmpty);
  std::ranges::copy(own, region.begin() + plan.region.alloc_offset);
  return region;
}

Values own_values(const InplacePlan& plan, const Values& region) {
  const auto first = region.begin() + plan.region.alloc_offset;
  return {first, first + plan.region.own_elements};
}

void run_phase(std::span<const InplacePlan> plans, int phase, std::span<Values> regions) {
  std::vector<Message> messages;
  for_each_message(plans, phase,
                   [&](auto sender, const auto& send, auto receiver, const auto& back) {
                     messages.push_back({receiver, gather(regions[sender], send.send), slot(back)});
                   });
  deliver(messages, regions);
}

void run_phase_backwards(std::span<const InplacePlan> plans, int phase, std::span<Values> regions) {
  std::vector<Message> messages;
  for_each_message(plans, phase,
                   [&](auto sender, const auto& send, auto receiver, const auto& back) {
                     messages.push_back({sender, gather(regions[receiver], slot(back)), send.send});
                   });
  deliver(messages, regions);
}

Values pack(const InplacePlan& plan, const Values& region) {
  return gather(region, expand(plan.pack));
}

void unpack(const InplacePlan& plan, const Values& packed, Values& region) {
  scatter(packed, expand(plan.pack), region);
}

Values simulate_write(std::span<const InplacePlan> plans, std::span<const Values> own,
                      std::int64_t elements) {
  std::vector<Values> regions;
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    regions.push_back(fill_region(plans[rank], own[rank]));
  }
  const auto phases = static_cast<int>(plans.front().phases.size());
  for (int phase = 0; phase < phases; ++phase) run_phase(plans, phase, regions);
  Values file(static_cast<std::size_t>(elements), kEmpty);
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    scatter(pack(plans[rank], regions[rank]), plans[rank].file, file);
  }
  return file;
}

std::vector<Values> simulate_read(std::span<const InplacePlan> plans, const Values& file) {
  std::vector<Values> regions;
  for (const InplacePlan& plan : plans) {
    regions.emplace_back(static_cast<std::size_t>(plan.region.elements), kEmpty);
    unpack(plan, gather(file, plan.file), regions.back());
  }
  const auto phases = static_cast<int>(plans.front().phases.size());
  for (int phase = phases - 1; phase >= 0; --phase) run_phase_backwards(plans, phase, regions);
  std::vector<Values> own;
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    own.push_back(own_values(plans[rank], regions[rank]));
  }
  return own;
}

}  // namespace tutti::inplace
