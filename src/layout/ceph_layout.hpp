// CephFS's striping: files are dealt out in stripe units to sets of objects, and every object has a
// place of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "base/extent.hpp"
#include "base/result.hpp"
#include "layout/found_layout.hpp"

namespace tutti {

inline constexpr const char* kCephAttribute = "ceph.file.layout";

struct CephStriping {
  std::int64_t unit_bytes = 0;
  std::int64_t columns = 0;       // objects that take turns
  std::int64_t object_bytes = 0;  // a whole number of units

  friend bool operator==(const CephStriping&, const CephStriping&) = default;
};

// Fails with invalid_argument where the numbers contradict each other or cannot be divided by.
Status check_ceph(const CephStriping& striping);

// The text of the extended attribute ceph.file.layout: "stripe_unit=65536 stripe_count=4
// object_size=4194304 pool=data". Fails with invalid_argument for anything else.
Result<CephStriping> decode_ceph(std::string_view attribute);

// What is known of every file with this striping without asking where its objects are: the unit,
// and that the rest has to be asked for. REQUIRES: check_ceph.
FoundLayout ceph_layout(const CephStriping& striping);

// The layout of all objects with bytes in `range`; `node_at(offset)` names the node that holds the
// byte, negative: nobody knows. Covers nothing where a node is not known or the range has more than
// 2^18 objects. REQUIRES: check_ceph.
StripeLayout ceph_layout_for(const CephStriping& striping, Extent range,
                             const std::function<std::int32_t(std::int64_t offset)>& node_at);

}  // namespace tutti
