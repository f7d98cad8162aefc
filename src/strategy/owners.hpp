// Which ranks access the file for the others.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "plan/facts.hpp"

namespace tutti {

// How many owners cb_config_list allows on each node. ROMIO's wildcard forms are understood: "*:N",
// "*:*" (all), "*" (one), also inside a list. Entries that name hosts, an empty list and anything
// else set no limit. Returns 0 for no limit.
std::int64_t owners_per_node(std::string_view cb_config_list);

// In ascending order, at least one: as many ranks as cb_nodes says (0: all) within the limit of
// cb_config_list, taken from the nodes in turn. REQUIRES: at least one rank.
std::vector<std::int32_t> choose_owners(const CallFacts& facts);

}  // namespace tutti
