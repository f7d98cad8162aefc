#include "pattern/serialise.hpp"

#include <optional>

#include "pattern/node.hpp"

namespace tutti {

using pattern_detail::Node;
using pattern_detail::NodePtr;

namespace {

enum class Tag : std::uint8_t { empty, run, repeat, runs, equal_runs, alike, mixed };

constexpr int kMaxDepth = 64;
constexpr std::int64_t kLimit = std::int64_t{1} << 62;

void put_unsigned(std::uint64_t value, std::vector<std::byte>& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(value | 0x80));
  out.push_back(static_cast<std::byte>(value));
}

void put_signed(std::int64_t value, std::vector<std::byte>& out) {
  put_unsigned((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63),
               out);
}

void put_tag(Tag tag, std::vector<std::byte>& out) { out.push_back(static_cast<std::byte>(tag)); }

void put_gaps(const std::vector<std::int64_t>& values, std::vector<std::byte>& out) {
  for (std::size_t i = 1; i < values.size(); ++i) put_signed(values[i] - values[i - 1], out);
}

void put_node(const Node& node, std::vector<std::byte>& out) {
  switch (node.kind) {
    case Node::Kind::run:
      put_tag(Tag::run, out);
      put_unsigned(node.size, out);
      return;
    case Node::Kind::repeat:
      put_tag(Tag::repeat, out);
      put_unsigned(node.count, out);
      put_signed(node.stride, out);
      put_node(*node.children[0], out);
      return;
    case Node::Kind::sequence:
      break;
  }
  const std::size_t n = node.displacements.size();
  const auto bytes_of = [&](std::size_t i) { return node.prefix[i + 1] - node.prefix[i]; };
  bool equal = node.leaf_runs();
  for (std::size_t i = 1; equal && i < n; ++i) equal = bytes_of(i) == bytes_of(0);
  put_tag(equal                       ? Tag::equal_runs
          : node.leaf_runs()          ? Tag::runs
          : node.children.size() == 1 ? Tag::alike
                                      : Tag::mixed,
          out);
  put_unsigned(n, out);
  put_gaps(node.displacements, out);
  if (equal) {
    put_unsigned(bytes_of(0), out);
  } else if (node.leaf_runs()) {
    for (std::size_t i = 0; i < n; ++i) put_unsigned(bytes_of(i), out);
  } else {
    for (const NodePtr& child : node.children) put_node(*child, out);
  }
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte>& in) : in_(in) {}

  Result<Pattern> pattern() {
    std::int64_t origin = 0;
    const auto tag = take_tag();
    if (!tag) return malformed();
    if (*tag == Tag::empty) return Pattern{};
    if (!take_signed(origin)) return malformed();
    NodePtr node = this->node(*tag, 0);
    if (!node) return malformed();
    return Node::wrap(origin, std::move(node));
  }

 private:
  static tl::unexpected<Error> malformed() {
    return fail(ErrorKind::invalid_argument, "a serialised pattern is malformed");
  }

  bool take_unsigned(std::int64_t& value) {
    std::uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (in_.empty()) return false;
      const auto byte = static_cast<std::uint64_t>(in_.front());
      in_ = in_.subspan(1);
      bits |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) {
        value = static_cast<std::int64_t>(bits);
        return value >= 0 && value <= kLimit;
      }
    }
    return false;
  }

  bool take_signed(std::int64_t& value) {
    std::uint64_t bits = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (in_.empty()) return false;
      const auto byte = static_cast<std::uint64_t>(in_.front());
      in_ = in_.subspan(1);
      bits |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) {
        value = static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
        return value >= -kLimit && value <= kLimit;
      }
    }
    return false;
  }

  std::optional<Tag> take_tag() {
    if (in_.empty() ||
        static_cast<std::uint8_t>(in_.front()) > static_cast<std::uint8_t>(Tag::mixed))
      return std::nullopt;
    const auto tag = static_cast<Tag>(in_.front());
    in_ = in_.subspan(1);
    return tag;
  }

  NodePtr child(int depth) {
    const auto tag = take_tag();
    return tag ? node(*tag, depth) : nullptr;
  }

  NodePtr node(Tag tag, int depth) {
    if (depth > kMaxDepth) return nullptr;
    std::int64_t count = 0;
    std::int64_t stride = 0;
    switch (tag) {
      case Tag::empty:
        return nullptr;
      case Tag::run:
        return take_unsigned(count) && count > 0 ? pattern_detail::make_run(count) : nullptr;
      case Tag::repeat: {
        if (!take_unsigned(count) || count < 1 || !take_signed(stride)) return nullptr;
        NodePtr inner = child(depth + 1);
        if (!inner || !fits(count, inner->size) || !fits(count, stride)) return nullptr;
        return pattern_detail::make_repeat(count, stride, inner);
      }
      default:
        return sequence(tag, depth);
    }
  }

  static bool fits(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return !__builtin_mul_overflow(a, b, &product) && product <= kLimit && product >= -kLimit;
  }

  bool take_displacements(std::vector<std::int64_t>& at) {
    std::int64_t n = 0;
    // Every further entry takes at least one byte of input, which bounds what is allocated.
    if (!take_unsigned(n) || n < 1 || n > static_cast<std::int64_t>(in_.size()) + 1) return false;
    at.assign(1, 0);
    at.reserve(static_cast<std::size_t>(n));
    for (std::int64_t i = 1; i < n; ++i) {
      std::int64_t gap = 0;
      if (!take_signed(gap)) return false;
      const std::int64_t next = at.back() + gap;
      if (next > kLimit || next < -kLimit) return false;
      at.push_back(next);
    }
    return true;
  }

  NodePtr sequence(Tag tag, int depth) {
    std::vector<std::int64_t> at;
    if (!take_displacements(at)) return nullptr;
    if (tag == Tag::runs || tag == Tag::equal_runs) {
      std::vector<std::int64_t> prefix{0};
      std::int64_t bytes = 0;
      for (std::size_t i = 0; i < at.size(); ++i) {
        if ((i == 0 || tag == Tag::runs) && !take_unsigned(bytes)) return nullptr;
        if (bytes < 1 || bytes > kLimit - prefix.back()) return nullptr;
        prefix.push_back(prefix.back() + bytes);
      }
      return pattern_detail::make_runs(std::move(at), std::move(prefix));
    }
    std::vector<NodePtr> children;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      NodePtr next = i > 0 && tag == Tag::alike ? children[0] : child(depth + 1);
      if (!next || next->size > kLimit - total) return nullptr;
      total += next->size;
      children.push_back(std::move(next));
    }
    return pattern_detail::make_sequence(std::move(at), std::move(children));
  }

  std::span<const std::byte>& in_;
};

}  // namespace

void serialise(const Pattern& pattern, std::vector<std::byte>& out) {
  if (pattern.empty()) {
    put_tag(Tag::empty, out);
    return;
  }
  // The tag of the root comes before its origin, so that an empty pattern is one byte.
  std::vector<std::byte> body;
  put_node(*pattern.node(), body);
  out.push_back(body[0]);
  put_signed(pattern.origin(), out);
  out.insert(out.end(), body.begin() + 1, body.end());
}

Result<Pattern> deserialise(std::span<const std::byte>& in) { return Reader(in).pattern(); }

}  // namespace tutti
