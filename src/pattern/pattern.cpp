#include "pattern/pattern.hpp"

#include <algorithm>
#include <cstdlib>

#include "pattern/node.hpp"
#include "pattern/normal_form.hpp"

namespace tutti {

using pattern_detail::make_repeat;
using pattern_detail::make_run;
using pattern_detail::Node;
using pattern_detail::NodePtr;
using pattern_detail::normal_runs;
using pattern_detail::normal_sequence;
using pattern_detail::PlacedNode;

namespace {

Pattern to_pattern(PlacedNode placed) {
  if (!placed.node) return {};
  return Node::wrap(placed.offset, std::move(placed.node));
}

// Stream bytes [begin, end) of `node`, as placed nodes in stream order appended to `out`.
void cut(const NodePtr& node, std::int64_t base, std::int64_t begin, std::int64_t end,
         std::vector<PlacedNode>& out) {
  if (begin >= end) return;
  if (begin == 0 && end == node->size) {
    out.push_back({base, node});
    return;
  }
  if (node->kind == Node::Kind::run) {
    out.push_back({base + begin, make_run(end - begin)});
    return;
  }
  if (node->kind == Node::Kind::repeat) {
    const NodePtr& child = node->children[0];
    std::int64_t i = begin / child->size;
    if (const std::int64_t inside = begin - i * child->size; inside > 0) {
      cut(child, base + i * node->stride, inside, std::min(child->size, end - i * child->size),
          out);
      ++i;
    }
    const std::int64_t last = end / child->size;
    if (last > i) {
      out.push_back({base + i * node->stride, make_repeat(last - i, node->stride, child)});
      i = last;
    }
    cut(child, base + i * node->stride, 0, end - i * child->size, out);
    return;
  }
  const auto found = std::upper_bound(node->prefix.begin(), node->prefix.end(), begin);
  for (auto i = static_cast<std::size_t>(found - node->prefix.begin() - 1);
       i < node->displacements.size() && node->prefix[i] < end; ++i) {
    const std::int64_t from = std::max<std::int64_t>(begin - node->prefix[i], 0);
    const std::int64_t to = std::min(end, node->prefix[i + 1]) - node->prefix[i];
    const std::int64_t at = base + node->displacements[i];
    if (node->leaf_runs())
      out.push_back({at + from, make_run(to - from)});
    else
      cut(node->children[node->children.size() == 1 ? 0 : i], at, from, to, out);
  }
}

}  // namespace

Pattern Pattern::run(std::int64_t bytes, std::int64_t offset) {
  if (bytes <= 0) return {};
  return Pattern(offset, make_run(bytes));
}

Pattern Pattern::repeat(std::int64_t count, std::int64_t stride, const Pattern& child) {
  if (count <= 0 || child.empty()) return {};
  return Pattern(child.origin_, make_repeat(count, stride, child.node_));
}

Pattern Pattern::tiled(const Pattern& child, std::int64_t extent) {
  if (child.empty()) return {};
  constexpr std::int64_t kLimit = std::int64_t{1} << 61;
  const std::int64_t step = std::max(child.size(), std::abs(extent));
  return repeat(std::max<std::int64_t>(kLimit / step, 1), extent, child);
}

Pattern Pattern::sequence(std::span<const Placed> children) {
  std::vector<PlacedNode> list;
  list.reserve(children.size());
  for (const Placed& placed : children)
    if (!placed.child.empty())
      list.push_back({placed.displacement + placed.child.origin_, placed.child.node_});
  return to_pattern(normal_sequence(std::move(list)));
}

Pattern Pattern::tuples(std::span<const Extent> runs) { return to_pattern(normal_runs(runs)); }

Pattern Pattern::shifted(std::int64_t by) const {
  return empty() ? Pattern{} : Pattern(origin_ + by, node_);
}

std::int64_t Pattern::size() const { return empty() ? 0 : node_->size; }
std::int64_t Pattern::lower() const { return empty() ? 0 : origin_ + node_->lower; }
std::int64_t Pattern::upper() const { return empty() ? 0 : origin_ + node_->upper; }
std::int64_t Pattern::first() const { return origin_; }
std::int64_t Pattern::run_count() const { return empty() ? 0 : node_->runs; }
bool Pattern::is_contiguous() const { return empty() || node_->kind == Node::Kind::run; }
bool Pattern::is_monotone() const { return empty() || node_->monotone; }
bool Pattern::is_ordered() const { return empty() || node_->ordered; }

std::int64_t Pattern::offset_of(std::int64_t k) const {
  if (empty()) return 0;
  return k == node_->size ? origin_ + node_->select(k - 1) + 1 : origin_ + node_->select(k);
}

std::int64_t Pattern::bytes_below(std::int64_t offset) const {
  return empty() ? 0 : node_->rank(offset - origin_);
}

bool Pattern::covers(Extent window) const {
  return window.bytes <= 0 ||
         bytes_below(window.end()) - bytes_below(window.offset) == window.bytes;
}

Pattern Pattern::slice(std::int64_t begin, std::int64_t end) const {
  if (empty() || begin >= end) return {};
  if (begin == 0 && end == size()) return *this;
  std::vector<PlacedNode> list;
  cut(node_, origin_, begin, end, list);
  return to_pattern(normal_sequence(std::move(list)));
}

Fingerprint Pattern::fingerprint() const {
  if (empty()) return {};
  Fingerprint print = node_->print;
  print[0] ^= static_cast<std::uint64_t>(origin_) * 0x9E3779B97F4A7C15ULL;
  print[1] += static_cast<std::uint64_t>(origin_) * 0xC2B2AE3D27D4EB4FULL;
  return print;
}

bool operator==(const Pattern& a, const Pattern& b) {
  if (a.empty() || b.empty()) return a.empty() && b.empty();
  return a.origin_ == b.origin_ && same(*a.node_, *b.node_);
}

}  // namespace tutti
