// How patterns travel between ranks: small ones to everybody once, large ones in slices to the
// owners that need them.
#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "inspect/inspector.hpp"

namespace tutti {

// Local. Serialised size of a stream without its origin, or more than the limit below without
// spelling it out.
std::int64_t descriptor_bytes(const Pattern& stream);

// Whether a rank's whole descriptor is known to all ranks.
bool is_small(const CallCard& card);

// Collective. Fills found.origins: every rank's stream where descriptors are small, otherwise the
// slices inside this rank's domain.
Status learn_origins(const InspectCall& call, const FileRange& mine,
                     const std::vector<CallCard>& cards, Inspection& found);

}  // namespace tutti
