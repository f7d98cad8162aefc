// Finds out, together with the other ranks, what must be known for one collective call.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/counters.hpp"
#include "base/result.hpp"
#include "inspect/call_card.hpp"
#include "inspect/exchange.hpp"
#include "inspect/inspection.hpp"
#include "inspect/topology.hpp"
#include "plan/plan_cache.hpp"
#include "request/access.hpp"

namespace tutti {

// Patterns of other ranks by shape. All ranks hold the same set: it changes only by what travels to
// all.
using DescriptorTable = std::map<Fingerprint, Pattern>;

// What the inspector of one open file keeps between calls.
struct InspectorState {
  Topology topology;
  StripeLayout layout;  // as far as it holds for every offset
  LayoutPrint layout_print{};
  std::function<StripeLayout(Extent)> layout_for;  // asks the storage where `layout` is incomplete
  PlanCache<Inspection> cache{32};
  DescriptorTable descriptors;
  // The size of this rank's last descriptor, so that a repeated call does not spell it out again.
  Fingerprint sized_shape{};
  std::int64_t sized_bytes = 0;
};

struct InspectCall {
  Exchange& exchange;
  int rank;
  int ranks;
  const Hints& hints;
  InspectorState& state;
  Counters& counters;
};

// The answer for one call: file offsets of the inspection move by `shift`.
struct Outlook {
  std::shared_ptr<const Inspection> inspection;  // null: a rank refused, nobody goes on
  std::int64_t shift = 0;
  bool planned_before = false;  // nothing but the exchange of cards was needed
  std::vector<CallCard> cards;  // per rank, of this call
};

// Local: this rank's card, but for the memory fields, which the executor fills in.
CallCard make_card(const InspectCall& call, const Access& access);

// Collective. Every rank's card to every rank, with the time on it. REQUIRES: one place per rank in
// `cards`.
Status tell_all(const InspectCall& call, const CallCard& mine, std::vector<CallCard>& cards);

// Collective. One small exchange of cards; descriptors travel only where no earlier plan serves.
Result<Outlook> inspect(const InspectCall& call, const Access& access, const CallCard& mine);

}  // namespace tutti
