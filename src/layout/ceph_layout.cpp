#include "layout/ceph_layout.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tutti {

namespace {

constexpr std::int64_t kMostObjects = 1 << 18;
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMostColumns = 1 << 16;

tl::unexpected<Error> not_ceph(std::string_view text) {
  return fail(ErrorKind::invalid_argument,
              "'" + std::string(text.substr(0, 100)) + "' is no CephFS file layout");
}

}  // namespace

Status check_ceph(const CephStriping& striping) {
  const auto sound = [](std::int64_t number) { return number > 0 && number <= kLargest; };
  if (sound(striping.unit_bytes) && sound(striping.columns) && sound(striping.object_bytes) &&
      striping.columns <= kMostColumns && striping.object_bytes % striping.unit_bytes == 0)
    return {};
  return fail(ErrorKind::invalid_argument,
              "a CephFS file layout of unit " + std::to_string(striping.unit_bytes) + ", count " +
                  std::to_string(striping.columns) + " and object size " +
                  std::to_string(striping.object_bytes) + " contradicts itself");
}

Result<CephStriping> decode_ceph(std::string_view attribute) {
  CephStriping found;
  for (std::size_t at = 0; at < attribute.size();) {
    const std::string_view word = attribute.substr(at, attribute.find(' ', at) - at);
    at += word.size() + 1;
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) return not_ceph(attribute);
    const std::string_view key = word.substr(0, equals);
    std::int64_t* const place = key == "stripe_unit"    ? &found.unit_bytes
                                : key == "stripe_count" ? &found.columns
                                : key == "object_size"  ? &found.object_bytes
                                                        : nullptr;
    if (place == nullptr) continue;
    const char* const last = word.data() + word.size();
    const auto [end, wrong] = std::from_chars(word.data() + equals + 1, last, *place);
    if (wrong != std::errc() || end != last) return not_ceph(attribute);
  }
  if (!check_ceph(found)) return not_ceph(attribute);
  return found;
}

FoundLayout ceph_layout(const CephStriping& striping) {
  // Even one column moves on to another node with every object.
  const auto nodes = static_cast<std::int32_t>(std::max<std::int64_t>(striping.columns, 2));
  const std::shared_ptr<const PlacementTable> nothing_known =
      PlacementTable::make({}).value_or(nullptr);
  return {layout_by_table(nothing_known, striping.unit_bytes, nodes),
          {striping.unit_bytes, striping.columns, 0}};
}

StripeLayout ceph_layout_for(const CephStriping& striping, Extent range,
                             const std::function<std::int32_t(std::int64_t)>& node_at) {
  const StripeLayout unknown = ceph_layout(striping).layout;
  if (range.bytes <= 0) return unknown;
  const std::int64_t unit = striping.unit_bytes;
  const std::int64_t row_bytes = unit * striping.columns;
  const std::int64_t object_blocks = striping.object_bytes / unit;
  std::int64_t set_bytes = 0;
  if (__builtin_mul_overflow(row_bytes, object_blocks, &set_bytes)) return unknown;
  PlacementPart part;
  part.range = range;
  part.block_bytes = unit;
  part.columns = static_cast<std::int32_t>(striping.columns);
  part.object_blocks = object_blocks;
  part.first_set = range.offset / set_bytes;
  const std::int64_t sets = (range.end() - 1) / set_bytes - part.first_set + 1;
  if (sets > kMostObjects / striping.columns) return unknown;
  for (std::int64_t set = part.first_set; set < part.first_set + sets; ++set) {
    for (std::int64_t column = 0; column < striping.columns; ++column) {
      const std::int64_t space = std::numeric_limits<std::int64_t>::max() - set * set_bytes;
      const std::int32_t node =
          column * unit < space ? node_at(set * set_bytes + column * unit) : 0;
      if (node < 0) return unknown;
      part.nodes.push_back(node);
    }
  }
  auto table = PlacementTable::make({std::move(part)});
  return table ? layout_by_table(std::move(*table)) : unknown;
}

}  // namespace tutti
