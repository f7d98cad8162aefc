// The packed bytes of other ranks that pass through this one during a round.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "inspect/inspection.hpp"

namespace tutti {

class Holdings {
 public:
  void clear() { held_.clear(); }

  // `data` holds bytes [range.begin, range.end) of `origin` and stays valid until clear().
  void add(int origin, PackedRange range, const std::byte* data) {
    if (range.bytes() > 0) held_.push_back({origin, range, data});
  }

  // Where the whole of `range` lies in one piece; null when it does not.
  const std::byte* find(int origin, PackedRange range) const {
    for (const Held& held : held_)
      if (held.origin == origin && held.range.begin <= range.begin && held.range.end >= range.end)
        return held.data + (range.begin - held.range.begin);
    return nullptr;
  }

  // Copies `range` together from its parts. Bytes that nobody delivered stay as they are.
  void gather(int origin, PackedRange range, std::byte* to) const {
    for (const Held& held : held_) {
      if (held.origin != origin) continue;
      const std::int64_t begin = std::max(held.range.begin, range.begin);
      const std::int64_t end = std::min(held.range.end, range.end);
      if (begin < end)
        std::memcpy(to + (begin - range.begin), held.data + (begin - held.range.begin),
                    static_cast<std::size_t>(end - begin));
    }
  }

 private:
  struct Held {
    int origin;
    PackedRange range;
    const std::byte* data;
  };
  std::vector<Held> held_;
};

}  // namespace tutti
