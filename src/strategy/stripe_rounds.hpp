// How a striped file is cut into rounds so that no agent stages too much in any of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/extent.hpp"
#include "layout/stripe_layout.hpp"
#include "plan/plan.hpp"

namespace tutti {

// A window of the file for one I/O node, without its round.
struct NodeStripes {
  std::int32_t node = 0;
  Stripes stripes;
};

// What each I/O node holds of `range`: for round robin one entry per node; for a table one for each
// stretch on one node, in ascending order, and node 0 holds what the table leaves out. Without
// striping, node 0 holds everything.
std::vector<NodeStripes> stripes_of(const StripeLayout& layout, Extent range);

struct StripeRounds {
  std::int64_t count = 0;
  std::int64_t step = 0;             // file bytes of a round, all I/O nodes together
  std::vector<std::int64_t> staged;  // by agent's rank: the most it stages in a round
};

// Even rounds of at most `most_bytes` in any agent's hands. Rounds are whole rows of stripes where
// that allows it, then some stripes of a row, then a part of one stripe; in the last two cases
// agents wait for each other. REQUIRES: most_bytes >= 1, agents by node as choose_agents() says.
StripeRounds cut_stripes(const StripeLayout& layout, Extent range,
                         std::span<const std::int32_t> agents, std::int64_t ranks,
                         std::int64_t most_bytes);

}  // namespace tutti
