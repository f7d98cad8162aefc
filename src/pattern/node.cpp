#include "pattern/node.hpp"

#include <algorithm>
#include <limits>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tutti::pattern_detail {

namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 62;

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) || product > kMany ? kMany : product;
}

Fingerprint hash_words(std::span<const std::int64_t> words, Fingerprint seed) {
  const XXH128_hash_t h =
      XXH3_128bits_withSeed(words.data(), words.size_bytes(), seed[0] ^ (seed[1] * 31));
  return {h.low64, h.high64};
}

Fingerprint hash_shape(const Node& node) {
  const std::array<std::int64_t, 4> head{static_cast<std::int64_t>(node.kind), node.size,
                                         node.count, node.stride};
  Fingerprint print = hash_words(head, {});
  if (node.kind == Node::Kind::sequence) {
    print = hash_words(node.displacements, print);
    print = hash_words(node.prefix, print);
  }
  for (const NodePtr& child : node.children) {
    const std::array<std::int64_t, 4> link{
        static_cast<std::int64_t>(print[0]), static_cast<std::int64_t>(print[1]),
        static_cast<std::int64_t>(child->print[0]), static_cast<std::int64_t>(child->print[1])};
    print = hash_words(link, print);
  }
  return print;
}

// The part of a run, repeat or whole child that the derived fields of a sequence need.
struct Shape {
  std::int64_t lower, upper, last_start, runs;
  bool monotone, ordered;
};

Shape shape_of(const Node& sequence, std::size_t i) {
  if (sequence.leaf_runs())
    return {0, sequence.prefix[i + 1] - sequence.prefix[i], 0, 1, true, true};
  const Node& child = *sequence.child_of(i);
  return {child.lower, child.upper, child.last_start, child.runs, child.monotone, child.ordered};
}

NodePtr finish_sequence(std::shared_ptr<Node> node) {
  node->kind = Node::Kind::sequence;
  node->size = node->prefix.back();
  node->lower = std::numeric_limits<std::int64_t>::max();
  node->upper = std::numeric_limits<std::int64_t>::min();
  node->runs = 0;
  std::int64_t last_start = 0;
  for (std::size_t i = 0; i < node->displacements.size(); ++i) {
    const std::int64_t at = node->displacements[i];
    const Shape shape = shape_of(*node, i);
    node->monotone =
        node->monotone && shape.monotone && (i == 0 || at + shape.lower >= node->upper);
    node->ordered = node->ordered && shape.ordered && (i == 0 || at >= last_start);
    node->lower = std::min(node->lower, at + shape.lower);
    node->upper = std::max(node->upper, at + shape.upper);
    node->runs = std::min(kMany, node->runs + shape.runs);
    last_start = at + shape.last_start;
  }
  node->last_start = last_start;
  node->print = hash_shape(*node);
  return node;
}

}  // namespace

NodePtr make_run(std::int64_t bytes) {
  auto node = std::make_shared<Node>();
  node->size = bytes;
  node->upper = bytes;
  node->print = hash_shape(*node);
  return node;
}

NodePtr make_repeat(std::int64_t count, std::int64_t stride, const NodePtr& child) {
  if (count == 1) return child;
  if (child->kind == Node::Kind::run && stride == child->size) return make_run(count * stride);
  if (child->kind == Node::Kind::repeat && stride == child->count * child->stride)
    return make_repeat(count * child->count, child->stride, child->children[0]);
  auto node = std::make_shared<Node>();
  node->kind = Node::Kind::repeat;
  node->count = count;
  node->stride = stride;
  node->children = {child};
  node->size = count * child->size;
  const std::int64_t reach = (count - 1) * stride;
  node->lower = child->lower + std::min<std::int64_t>(reach, 0);
  node->upper = child->upper + std::max<std::int64_t>(reach, 0);
  node->last_start = reach + child->last_start;
  node->runs = saturating_product(count, child->runs);
  node->monotone = child->monotone && stride >= child->upper - child->lower;
  node->ordered = child->ordered && stride >= child->last_start;
  node->print = hash_shape(*node);
  return node;
}

NodePtr make_runs(std::vector<std::int64_t> displacements, std::vector<std::int64_t> prefix) {
  auto node = std::make_shared<Node>();
  node->displacements = std::move(displacements);
  node->prefix = std::move(prefix);
  return finish_sequence(std::move(node));
}

NodePtr make_sequence(std::vector<std::int64_t> displacements, std::vector<NodePtr> children) {
  if (children.size() == 1) return children[0];
  auto node = std::make_shared<Node>();
  node->prefix.reserve(children.size() + 1);
  node->prefix.push_back(0);
  bool alike = true;
  bool all_runs = true;
  for (const NodePtr& child : children) {
    node->prefix.push_back(node->prefix.back() + child->size);
    alike = alike && same(*child, *children[0]);
    all_runs = all_runs && child->kind == Node::Kind::run;
  }
  node->displacements = std::move(displacements);
  if (all_runs) return finish_sequence(std::move(node));
  if (alike) children.resize(1);
  node->children = std::move(children);
  return finish_sequence(std::move(node));
}

std::int64_t Node::select(std::int64_t k) const {
  const Node* node = this;
  std::int64_t base = 0;
  while (true) {
    switch (node->kind) {
      case Kind::run:
        return base + k;
      case Kind::repeat: {
        const Node& child = *node->children[0];
        const std::int64_t i = std::min(k / child.size, node->count - 1);
        base += i * node->stride;
        k -= i * child.size;
        node = &child;
        break;
      }
      case Kind::sequence: {
        const auto found = std::upper_bound(node->prefix.begin(), node->prefix.end() - 1, k);
        const auto i = static_cast<std::size_t>(found - node->prefix.begin() - 1);
        base += node->displacements[i];
        k -= node->prefix[i];
        if (node->leaf_runs()) return base + k;
        node = node->child_of(i);
        break;
      }
    }
  }
}

std::int64_t Node::rank(std::int64_t offset) const {
  const Node* node = this;
  std::int64_t below = 0;
  while (true) {
    if (offset <= 0) return below;
    if (offset >= node->upper) return below + node->size;
    switch (node->kind) {
      case Kind::run:
        return below + offset;
      case Kind::repeat: {
        const Node& child = *node->children[0];
        const std::int64_t i = std::min(offset / node->stride, node->count - 1);
        below += i * child.size;
        offset -= i * node->stride;
        node = &child;
        break;
      }
      case Kind::sequence: {
        const auto& at = node->displacements;
        const auto i = static_cast<std::size_t>(std::upper_bound(at.begin(), at.end(), offset) -
                                                at.begin() - 1);
        below += node->prefix[i];
        offset -= at[i];
        if (node->leaf_runs())
          return below + std::min(offset, node->prefix[i + 1] - node->prefix[i]);
        node = node->child_of(i);
        break;
      }
    }
  }
}

bool same(const Node& a, const Node& b) { return &a == &b || a.print == b.print; }

}  // namespace tutti::pattern_detail
