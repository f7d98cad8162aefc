// The packed bytes of other ranks that pass through this one during a round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "inspect/inspection.hpp"

namespace tutti {

class Holdings {
 public:
  void clear() {
    for (Origin& origin : origins_) origin = {};
  }

  // `data` holds bytes [range.begin, range.end) of `origin` and stays valid until clear().
  void add(int origin, PackedRange range, const std::byte* data) {
    if (range.bytes() <= 0) return;
    const auto index = static_cast<std::size_t>(origin);
    if (index >= origins_.size()) origins_.resize(index + 1);
    Origin& from = origins_[index];
    if (!from.held.empty() && range.begin < from.held.back().range.end) from.ascending = false;
    from.held.push_back({range, data});
  }

  // Where the whole of `range` lies in one piece; null when it does not.
  const std::byte* find(int origin, PackedRange range) const {
    for (const Held& held : around(origin, range))
      if (held.range.begin <= range.begin && held.range.end >= range.end)
        return held.data + (range.begin - held.range.begin);
    return nullptr;
  }

  // Copies `range` together from its parts. Bytes that nobody delivered stay as they are.
  void gather(int origin, PackedRange range, std::byte* to) const {
    for (const Held& held : around(origin, range)) {
      const std::int64_t begin = std::max(held.range.begin, range.begin);
      const std::int64_t end = std::min(held.range.end, range.end);
      if (begin < end)
        std::memcpy(to + (begin - range.begin), held.data + (begin - held.range.begin),
                    static_cast<std::size_t>(end - begin));
    }
  }

 private:
  struct Held {
    PackedRange range;
    const std::byte* data;
  };
  struct Origin {
    std::vector<Held> held;
    bool ascending = true;  // disjoint, too
  };

  // What may overlap `range`.
  std::span<const Held> around(int origin, PackedRange range) const {
    const auto index = static_cast<std::size_t>(origin);
    if (index >= origins_.size()) return {};
    const Origin& from = origins_[index];
    if (!from.ascending) return from.held;
    const auto first =
        std::partition_point(from.held.begin(), from.held.end(),
                             [&](const Held& held) { return held.range.end <= range.begin; });
    const auto last = std::partition_point(
        first, from.held.end(), [&](const Held& held) { return held.range.begin < range.end; });
    return {first, last};
  }

  std::vector<Origin> origins_;  // by rank
};

}  // namespace tutti
