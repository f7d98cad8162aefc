#include "pattern/regions.hpp"

#include <algorithm>

#include "pattern/node.hpp"

namespace tutti {

namespace {

using pattern_detail::Node;

// A repetition of which no more copies than this lie in the window is told copy by copy.
constexpr std::int64_t kFewCopies = 3;

class RegionWriter {
 public:
  RegionWriter(Extent window, std::size_t limit, std::vector<Region>& out)
      : begin_(window.offset), end_(window.end()), most_(out.size() + limit), out_(out) {}

  void describe(const Node& node, std::int64_t base) {
    if (base >= end_ || base + node.upper <= begin_) return;
    switch (node.kind) {
      case Node::Kind::run:
        return append(base, base + node.size, 1);
      case Node::Kind::repeat:
        return describe_repeat(node, base);
      case Node::Kind::sequence:
        return describe_sequence(node, base);
    }
  }

 private:
  void append(std::int64_t begin, std::int64_t end, std::int64_t period) {
    begin = std::max(begin, begin_);
    end = std::min(end, end_);
    if (begin < end) out_.push_back({begin, end, period});
  }

  // One past the last child that starts below `limit`. REQUIRES: limit > 0.
  static std::int64_t children_below(const Node& node, std::int64_t limit) {
    const auto& at = node.displacements;
    return std::lower_bound(at.begin(), at.end(), limit) - at.begin();
  }

  void describe_repeat(const Node& node, std::int64_t base) {
    const Node& child = *node.children[0];
    // The last copy that starts at or below the window's first byte may end above it.
    const std::int64_t first = std::max<std::int64_t>(0, (begin_ - base) / node.stride);
    const std::int64_t last = std::min(node.count - 1, (end_ - 1 - base) / node.stride);
    if (last - first < kFewCopies) {
      for (std::int64_t i = first; i <= last; ++i) describe(child, base + i * node.stride);
      return;
    }
    append(base, base + (node.count - 1) * node.stride + child.upper, node.stride);
  }

  void describe_sequence(const Node& node, std::int64_t base) {
    const std::int64_t above = begin_ - base;
    const std::int64_t first = above <= 0 ? 0 : children_below(node, above + 1) - 1;
    const std::int64_t last = children_below(node, end_ - base);
    if (out_.size() + static_cast<std::size_t>(last - first) > most_)
      return append(base, base + node.upper, 0);
    for (std::int64_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::int64_t where = base + node.displacements[at];
      if (node.leaf_runs())
        append(where, where + node.prefix[at + 1] - node.prefix[at], 1);
      else
        describe(*node.child_of(at), where);
    }
  }

  std::int64_t begin_;
  std::int64_t end_;
  std::size_t most_;
  std::vector<Region>& out_;
};

}  // namespace

void append_regions(const Pattern& pattern, Extent window, std::size_t limit,
                    std::vector<Region>& out) {
  if (pattern.empty() || window.bytes <= 0) return;
  RegionWriter(window, limit, out).describe(*pattern.node(), pattern.origin());
}

}  // namespace tutti
