// Walks a range of a pattern's stream as strided blocks, without materialising it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "pattern/node.hpp"

namespace tutti {

// `count` runs of `bytes` bytes, the first at `offset`, each `stride` after the one before.
struct Block {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
  std::int64_t count = 1;
  std::int64_t stride = 0;
};

namespace pattern_detail {

template <class Visit>
bool walk(const Node& node, std::int64_t base, std::int64_t begin, std::int64_t end, Visit& visit);

template <class Visit>
bool walk_repeat(const Node& node, std::int64_t base, std::int64_t begin, std::int64_t end,
                 Visit& visit) {
  const Node& child = *node.children[0];
  std::int64_t i = begin / child.size;
  const std::int64_t inside = begin - i * child.size;
  if (inside > 0) {
    const std::int64_t stop = std::min(child.size, end - i * child.size);
    if (!walk(child, base + i * node.stride, inside, stop, visit)) return false;
    ++i;
  }
  const std::int64_t last = end / child.size;
  if (child.kind == Node::Kind::run) {
    if (last > i && !visit(Block{base + i * node.stride, child.size, last - i, node.stride}))
      return false;
    i = std::max(i, last);
  } else {
    for (; i < last; ++i)
      if (!walk(child, base + i * node.stride, 0, child.size, visit)) return false;
  }
  if (const std::int64_t rest = end - i * child.size; rest > 0)
    return walk(child, base + i * node.stride, 0, rest, visit);
  return true;
}

template <class Visit>
bool walk_sequence(const Node& node, std::int64_t base, std::int64_t begin, std::int64_t end,
                   Visit& visit) {
  auto at =
      std::upper_bound(node.prefix.begin(), node.prefix.end(), begin) - node.prefix.begin() - 1;
  for (auto i = static_cast<std::size_t>(at); i < node.displacements.size(); ++i) {
    if (node.prefix[i] >= end) break;
    const std::int64_t from = std::max<std::int64_t>(begin - node.prefix[i], 0);
    const std::int64_t to = std::min(end, node.prefix[i + 1]) - node.prefix[i];
    const std::int64_t where = base + node.displacements[i];
    const bool more = node.leaf_runs() ? visit(Block{where + from, to - from, 1, 0})
                                       : walk(*node.child_of(i), where, from, to, visit);
    if (!more) return false;
  }
  return true;
}

template <class Visit>
bool walk(const Node& node, std::int64_t base, std::int64_t begin, std::int64_t end, Visit& visit) {
  switch (node.kind) {
    case Node::Kind::run:
      return visit(Block{base + begin, end - begin, 1, 0});
    case Node::Kind::repeat:
      return walk_repeat(node, base, begin, end, visit);
    case Node::Kind::sequence:
      return walk_sequence(node, base, begin, end, visit);
  }
  return true;
}

}  // namespace pattern_detail

// Calls visit(const Block&) -> bool for stream bytes [begin, end) in stream order, until it returns
// false. Returns whether the whole range was visited. REQUIRES: 0 <= begin <= end <=
// pattern.size().
template <class Visit>
bool for_each_block(const Pattern& pattern, std::int64_t begin, std::int64_t end, Visit&& visit) {
  if (begin >= end) return true;
  return pattern_detail::walk(*pattern.node(), pattern.origin(), begin, end, visit);
}

// The same, run by run: visit(Extent) -> bool. Runs that touch are not joined.
template <class Visit>
bool for_each_run(const Pattern& pattern, std::int64_t begin, std::int64_t end, Visit&& visit) {
  return for_each_block(pattern, begin, end, [&](const Block& block) {
    for (std::int64_t i = 0; i < block.count; ++i)
      if (!visit(Extent{block.offset + i * block.stride, block.bytes})) return false;
    return true;
  });
}

}  // namespace tutti
