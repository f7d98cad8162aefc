// One layout for all ranks of a call: ranks that plan with different ones would wait for each other
// for ever.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "inspect/inspector.hpp"
#include "layout/stripe_layout.hpp"

namespace tutti {

// Collective; without a message where all cards name one layout that holds for every offset. The
// layout of what the cards access: this rank's own where all ranks have the same, otherwise
// rank 0's.
Result<StripeLayout> agreed_layout(const InspectCall& call, const std::vector<CallCard>& cards);

}  // namespace tutti
