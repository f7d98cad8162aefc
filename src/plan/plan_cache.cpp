#include "plan/plan_cache.hpp"

#include "pattern/node.hpp"

namespace tutti {

std::optional<std::int64_t> shift_between(const FileRange& then, const FileRange& now) {
  if (then.bytes != now.bytes) return std::nullopt;
  if (then.stream.empty() || now.stream.empty()) return std::nullopt;
  const pattern_detail::Node& a = *then.stream.node();
  const pattern_detail::Node& b = *now.stream.node();
  if (!same(a, b)) return std::nullopt;
  const std::int64_t moved = now.stream.origin() - then.stream.origin();
  const std::int64_t advanced = now.first - then.first;
  if (advanced == 0) return moved;
  switch (a.kind) {
    case pattern_detail::Node::Kind::run:
      return moved + advanced;
    case pattern_detail::Node::Kind::repeat: {
      const std::int64_t period = a.children[0]->size;
      if (advanced % period != 0) return std::nullopt;
      return moved + advanced / period * a.stride;
    }
    case pattern_detail::Node::Kind::sequence:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tutti
