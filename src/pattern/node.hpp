// The tree behind a Pattern. Private to src/pattern.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pattern/pattern.hpp"

namespace tutti::pattern_detail {

using NodePtr = std::shared_ptr<const Node>;

// Every node has its first stream byte at offset 0, holds at least one byte, and is in normal form.
struct Node {
  enum class Kind : std::uint8_t { run, repeat, sequence };

  Kind kind = Kind::run;
  bool monotone = true;
  bool ordered = true;
  std::int64_t size = 0;
  std::int64_t lower = 0;  // 0 for monotone nodes
  std::int64_t upper = 0;
  std::int64_t last_start = 0;  // where the last run starts
  std::int64_t runs = 1;
  Fingerprint print{};

  // repeat: children[0] at i · stride for i < count.
  std::int64_t count = 1;
  std::int64_t stride = 0;

  // sequence: child i at displacements[i], its stream bytes from prefix[i] to prefix[i + 1].
  // No children: all are runs. One child: all are alike. Otherwise one child each.
  std::vector<std::int64_t> displacements;
  std::vector<std::int64_t> prefix;
  std::vector<NodePtr> children;

  bool leaf_runs() const { return children.empty(); }
  const Node* child_of(std::size_t i) const {
    return children.size() == 1 ? children[0].get() : children[i].get();
  }

  // The offset one past stream byte size-1, which is where a full pattern ends.
  std::int64_t select(std::int64_t k) const;
  std::int64_t rank(std::int64_t offset) const;

  static Pattern wrap(std::int64_t origin, NodePtr node) {
    return Pattern(origin, std::move(node));
  }
  static const NodePtr& of(const Pattern& pattern) { return pattern.node_; }
};

// Each returns a node in normal form, with all derived fields and the fingerprint filled in.
// The arguments are already normal: no empty child, first displacement 0.
NodePtr make_run(std::int64_t bytes);
NodePtr make_repeat(std::int64_t count, std::int64_t stride, const NodePtr& child);
NodePtr make_runs(std::vector<std::int64_t> displacements, std::vector<std::int64_t> prefix);
NodePtr make_sequence(std::vector<std::int64_t> displacements, std::vector<NodePtr> children);

bool same(const Node& a, const Node& b);

}  // namespace tutti::pattern_detail
