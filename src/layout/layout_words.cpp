#include "layout/layout_words.hpp"

#include <limits>
#include <utility>

namespace tutti {

namespace {

constexpr std::size_t kHeadWords = 4;
constexpr std::size_t kPartWords = 7;

tl::unexpected<Error> no_layout() {
  return fail(ErrorKind::invalid_argument, "these numbers describe no striping layout");
}

bool fits(std::int64_t word) {
  return word >= 0 && word <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

std::vector<std::int64_t> table_words(const PlacementTable& table) {
  std::vector<std::int64_t> words;
  for (const PlacementPart& part : table.parts()) {
    words.insert(words.end(), {part.range.offset, part.range.bytes, part.block_bytes, part.columns,
                               part.object_blocks, part.first_set, std::ssize(part.nodes)});
    words.insert(words.end(), part.nodes.begin(), part.nodes.end());
  }
  return words;
}

std::vector<std::int64_t> layout_words(const StripeLayout& layout) {
  std::vector<std::int64_t> words{layout.unit_bytes, layout.io_nodes, layout.first_node,
                                  layout.table ? 1 : 0};
  if (!layout.table) return words;
  const std::vector<std::int64_t> rest = table_words(*layout.table);
  words.insert(words.end(), rest.begin(), rest.end());
  return words;
}

Result<StripeLayout> layout_from_words(std::span<const std::int64_t> words) {
  if (words.size() < kHeadWords) return no_layout();
  if (words[0] < 0 || !fits(words[1]) || words[1] == 0 || !fits(words[2])) return no_layout();
  StripeLayout layout;
  layout.unit_bytes = words[0];
  layout.io_nodes = static_cast<std::int32_t>(words[1]);
  layout.first_node = static_cast<std::int32_t>(words[2]);
  const bool by_table = words[3] != 0;
  words = words.subspan(kHeadWords);
  if (!by_table) {
    if (!words.empty() || layout.first_node >= layout.io_nodes) return no_layout();
    return layout;
  }
  std::vector<PlacementPart> parts;
  while (!words.empty()) {
    if (words.size() < kPartWords || !fits(words[3])) return no_layout();
    PlacementPart part;
    part.range = {words[0], words[1]};
    part.block_bytes = words[2];
    part.columns = static_cast<std::int32_t>(words[3]);
    part.object_blocks = words[4];
    part.first_set = words[5];
    const std::int64_t count = words[6];
    words = words.subspan(kPartWords);
    if (count < 0 || count > std::ssize(words)) return no_layout();
    for (const std::int64_t node : words.first(static_cast<std::size_t>(count))) {
      if (!fits(node) || node >= layout.io_nodes) return no_layout();
      part.nodes.push_back(static_cast<std::int32_t>(node));
    }
    words = words.subspan(static_cast<std::size_t>(count));
    parts.push_back(std::move(part));
  }
  auto table = PlacementTable::make(std::move(parts));
  if (!table) return tl::make_unexpected(table.error());
  layout.table = std::move(*table);
  return layout;
}

}  // namespace tutti
