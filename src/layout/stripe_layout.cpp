#include "layout/stripe_layout.hpp"

#include <utility>

#include "layout/layout_words.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tutti {

std::int64_t StripeLayout::period_bytes() const {
  if (!striped()) return 1;
  std::int64_t blocks = io_nodes;
  if (table) {
    // One part for the whole file whose objects have no end repeats itself.
    if (!complete() || table->parts().size() != 1 || table->parts()[0].object_blocks != 0) return 0;
    blocks = table->parts()[0].columns;
  }
  std::int64_t period = 0;
  return __builtin_mul_overflow(unit_bytes, blocks, &period) ? 0 : period;
}

LayoutPrint StripeLayout::print() const {
  const std::vector<std::int64_t> words = layout_words(*this);
  const XXH128_hash_t hash = XXH3_128bits(words.data(), words.size() * sizeof(words[0]));
  return {hash.low64, hash.high64};
}

bool operator==(const StripeLayout& a, const StripeLayout& b) {
  if (a.unit_bytes != b.unit_bytes || a.io_nodes != b.io_nodes || a.first_node != b.first_node)
    return false;
  return a.table == b.table || (a.table && b.table && *a.table == *b.table);
}

StripeLayout layout_by_table(std::shared_ptr<const PlacementTable> table, std::int64_t unit_bytes,
                             std::int32_t io_nodes) {
  StripeLayout layout;
  layout.unit_bytes = table->smallest_block() > 0 ? table->smallest_block() : unit_bytes;
  layout.io_nodes = std::max(io_nodes, table->highest_node() + 1);
  layout.table = std::move(table);
  return layout;
}

}  // namespace tutti
