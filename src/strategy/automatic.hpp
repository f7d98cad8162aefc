// What `auto` chooses.
#pragma once

#include <string_view>

#include "plan/facts.hpp"

namespace tutti {

// The name of a registered strategy that accepts the call. The collective buffering toggles are
// obeyed; otherwise the ranks' pieces decide: pieces that storage takes well one by one are left to
// the ranks, the others are gathered by two-phase, or by resonant where the file is striped, ranks
// interleave, are no fewer than I/O nodes and span several rows of stripes.
std::string_view automatic_choice(const CallFacts& facts);

}  // namespace tutti
