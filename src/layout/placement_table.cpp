#include "layout/placement_table.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "layout/layout_words.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tutti {

namespace {

std::int64_t set_of(const PlacementPart& part, std::int64_t offset) {
  if (part.object_blocks == 0) return 0;
  return offset / part.block_bytes / part.columns / part.object_blocks;
}

bool is_sound(const PlacementPart& part) {
  std::int64_t end = 0;
  if (part.range.offset < 0 || part.range.bytes <= 0 ||
      __builtin_add_overflow(part.range.offset, part.range.bytes, &end))
    return false;
  if (part.block_bytes <= 0 || part.columns <= 0 || part.object_blocks < 0 || part.first_set < 0)
    return false;
  if (part.object_blocks == 0 && part.first_set != 0) return false;
  if (set_of(part, part.range.offset) < part.first_set) return false;
  const std::int64_t sets = set_of(part, end - 1) - part.first_set + 1;
  if (std::ssize(part.nodes) / part.columns < sets) return false;
  return std::all_of(part.nodes.begin(), part.nodes.end(),
                     [](std::int32_t node) { return node >= 0; });
}

}  // namespace

std::int32_t node_in(const PlacementPart& part, std::int64_t offset) {
  const std::int64_t column = offset / part.block_bytes % part.columns;
  const std::int64_t object = (set_of(part, offset) - part.first_set) * part.columns + column;
  return part.nodes[static_cast<std::size_t>(object)];
}

Result<std::shared_ptr<const PlacementTable>> PlacementTable::make(
    std::vector<PlacementPart> parts) {
  std::int64_t reached = 0;
  for (const PlacementPart& part : parts) {
    if (!is_sound(part) || part.range.offset < reached)
      return fail(ErrorKind::invalid_argument,
                  "a placement of bytes on I/O nodes contradicts itself at offset " +
                      std::to_string(part.range.offset));
    reached = part.range.end();
  }
  std::shared_ptr<PlacementTable> table(new PlacementTable);
  table->parts_ = std::move(parts);
  for (const PlacementPart& part : table->parts_) {
    table->highest_node_ = std::max(table->highest_node_, *std::ranges::max_element(part.nodes));
    if (table->smallest_block_ == 0 || part.block_bytes < table->smallest_block_)
      table->smallest_block_ = part.block_bytes;
  }
  const std::vector<std::int64_t> words = table_words(*table);
  const XXH128_hash_t hash = XXH3_128bits(words.data(), words.size() * sizeof(words[0]));
  table->print_ = {hash.low64, hash.high64};
  return table;
}

const PlacementPart* PlacementTable::part_at(std::int64_t offset) const {
  const auto next = std::upper_bound(
      parts_.begin(), parts_.end(), offset,
      [](std::int64_t at, const PlacementPart& part) { return at < part.range.offset; });
  if (next == parts_.begin()) return nullptr;
  const PlacementPart& part = *std::prev(next);
  return offset < part.range.end() ? &part : nullptr;
}

bool PlacementTable::covers(Extent range) const {
  for (std::int64_t at = range.offset; at < range.end();) {
    const PlacementPart* part = part_at(at);
    if (part == nullptr) return false;
    at = part->range.end();
  }
  return true;
}

std::optional<std::int32_t> PlacementTable::node_of(std::int64_t offset) const {
  const PlacementPart* part = part_at(offset);
  return part == nullptr ? std::nullopt : std::optional(node_in(*part, offset));
}

}  // namespace tutti
