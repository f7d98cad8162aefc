#include "pattern/normal_form.hpp"

#include <utility>

namespace tutti::pattern_detail {

namespace {

// A stretch of a list whose entries are alike and equally far apart.
struct Stretch {
  std::size_t first = 0;
  std::size_t count = 1;
  std::int64_t stride = 0;
};

// Cuts [0, entries) greedily into stretches; those shorter than `least` fall apart into single
// entries. Gives up (empty result) as soon as more than `limit` stretches are needed.
template <class Alike, class OffsetOf>
std::vector<Stretch> find_stretches(std::size_t entries, std::size_t least, std::size_t limit,
                                    const Alike& alike, const OffsetOf& offset_of) {
  std::vector<Stretch> found;
  std::size_t i = 0;
  while (i < entries) {
    Stretch stretch{i, 1, 0};
    std::size_t next = i + 1;
    if (next < entries && alike(i, next)) {
      stretch.stride = offset_of(next) - offset_of(i);
      while (next < entries && alike(i, next) &&
             offset_of(next) - offset_of(next - 1) == stretch.stride)
        ++next;
    }
    stretch.count = next - i;
    if (stretch.count < least) stretch = Stretch{i, 1, 0};
    found.push_back(stretch);
    if (found.size() > limit) return {};
    i += stretch.count;
  }
  return found;
}

// Any two equal entries look like a stretch. Short stretches therefore count only where most of
// them equal the one before (a regular shape spelled out); otherwise only long ones do, and an
// irregular list stays a list.
template <class Alike, class OffsetOf>
std::vector<Stretch> fold(std::size_t entries, const Alike& alike, const OffsetOf& offset_of) {
  if (entries < 2) return {};
  const auto found = find_stretches(entries, 2, entries / 2, alike, offset_of);
  std::size_t changes = 0;
  for (std::size_t i = 1; i < found.size(); ++i)
    if (found[i].count != found[i - 1].count || found[i].stride != found[i - 1].stride ||
        !alike(found[i].first, found[i - 1].first))
      ++changes;
  if (!found.empty() && changes <= found.size() / 4) return found;
  return find_stretches(entries, 16, entries / 2, alike, offset_of);
}

PlacedNode whole(std::vector<PlacedNode> list) {
  const std::int64_t origin = list[0].offset;
  if (list.size() == 1) return list[0];
  std::vector<std::int64_t> displacements;
  std::vector<NodePtr> children;
  displacements.reserve(list.size());
  children.reserve(list.size());
  for (PlacedNode& entry : list) {
    displacements.push_back(entry.offset - origin);
    children.push_back(std::move(entry.node));
  }
  return {origin, make_sequence(std::move(displacements), std::move(children))};
}

// Joins runs that follow each other without a gap.
void merge_touching_runs(std::vector<PlacedNode>& list) {
  std::size_t kept = 0;
  for (std::size_t i = 1; i < list.size(); ++i) {
    PlacedNode& last = list[kept];
    const bool touch = last.node->kind == Node::Kind::run &&
                       list[i].node->kind == Node::Kind::run &&
                       last.offset + last.node->size == list[i].offset;
    if (touch)
      last.node = make_run(last.node->size + list[i].node->size);
    else if (++kept != i)
      list[kept] = std::move(list[i]);
  }
  list.resize(kept + 1);
}

}  // namespace

PlacedNode normal_sequence(std::vector<PlacedNode> list) {
  while (true) {
    if (list.empty()) return {};
    merge_touching_runs(list);
    const auto stretches = fold(
        list.size(),
        [&](std::size_t a, std::size_t b) { return same(*list[a].node, *list[b].node); },
        [&](std::size_t i) { return list[i].offset; });
    if (stretches.empty()) return whole(std::move(list));
    std::vector<PlacedNode> folded;
    folded.reserve(stretches.size());
    for (const Stretch& s : stretches)
      folded.push_back({list[s.first].offset, make_repeat(static_cast<std::int64_t>(s.count),
                                                          s.stride, list[s.first].node)});
    list = std::move(folded);
  }
}

PlacedNode normal_runs(std::span<const Extent> runs) {
  std::vector<std::int64_t> at;
  std::vector<std::int64_t> prefix;
  at.reserve(runs.size());
  prefix.reserve(runs.size() + 1);
  prefix.push_back(0);
  for (const Extent& run : runs) {
    if (run.bytes <= 0) continue;
    const bool touch =
        !at.empty() && at.back() + (prefix.back() - prefix[at.size() - 1]) == run.offset;
    if (touch) {
      prefix.back() += run.bytes;
    } else {
      at.push_back(run.offset);
      prefix.push_back(prefix.back() + run.bytes);
    }
  }
  if (at.empty()) return {};
  const auto bytes_of = [&](std::size_t i) { return prefix[i + 1] - prefix[i]; };
  if (at.size() == 1) return {at[0], make_run(prefix[1])};

  const auto stretches = fold(
      at.size(), [&](std::size_t a, std::size_t b) { return bytes_of(a) == bytes_of(b); },
      [&](std::size_t i) { return at[i]; });
  if (!stretches.empty()) {
    std::vector<PlacedNode> list;
    list.reserve(stretches.size());
    for (const Stretch& s : stretches)
      list.push_back({at[s.first], make_repeat(static_cast<std::int64_t>(s.count), s.stride,
                                               make_run(bytes_of(s.first)))});
    return normal_sequence(std::move(list));
  }
  const std::int64_t origin = at[0];
  for (std::int64_t& offset : at) offset -= origin;
  return {origin, make_runs(std::move(at), std::move(prefix))};
}

}  // namespace tutti::pattern_detail
