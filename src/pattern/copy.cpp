#include "pattern/copy.hpp"

#include <algorithm>

#include "pattern/copy_kernels.hpp"
#include "pattern/copy_kernels_inline.hpp"
#include "pattern/node.hpp"

namespace tutti {

namespace pattern_detail {

namespace {

// Copies a stream range front to back; `packed_` is always where the next stream byte goes.
template <bool kPack>
class Walk {
 public:
  Walk(const CopyKernels& kernels, MemoryByte<kPack>* base, PackedByte<kPack>* packed)
      : kernels_(kernels), base_(base), packed_(packed) {}

  void range(const Node& node, std::int64_t at, std::int64_t begin, std::int64_t end) {
    switch (node.kind) {
      case Node::Kind::run:
        return run(at + begin, end - begin);
      case Node::Kind::repeat:
        return repeat(node, at, begin, end);
      case Node::Kind::sequence:
        return node.leaf_runs() ? list(node, at, begin, end) : sequence(node, at, begin, end);
    }
  }

 private:
  void run(std::int64_t at, std::int64_t bytes) {
    const auto count = static_cast<std::size_t>(bytes);
    if constexpr (kPack)
      std::memcpy(packed_, address(base_, at), count);
    else
      std::memcpy(address(base_, at), packed_, count);
    packed_ += bytes;
  }

  void plane(std::int64_t at, const Plane& plane) {
    if constexpr (kPack)
      kernels_.gather(plane, address(base_, at), packed_);
    else
      kernels_.scatter(plane, packed_, address(base_, at));
    packed_ += plane.rows * plane.count * plane.bytes;
  }

  void repeat(const Node& node, std::int64_t at, std::int64_t begin, std::int64_t end) {
    const Node& child = *node.children[0];
    std::int64_t i = begin / child.size;
    if (const std::int64_t inside = begin - i * child.size; inside > 0) {
      range(child, at + i * node.stride, inside, std::min(child.size, end - i * child.size));
      ++i;
    }
    if (const std::int64_t last = end / child.size; last > i) {
      whole_children(node, at + i * node.stride, last - i);
      i = last;
    }
    if (const std::int64_t rest = end - i * child.size; rest > 0)
      range(child, at + i * node.stride, 0, rest);
  }

  void whole_children(const Node& node, std::int64_t at, std::int64_t count) {
    const Node& child = *node.children[0];
    if (child.kind == Node::Kind::run)
      return plane(at, {.bytes = child.size, .count = count, .stride = node.stride});
    if (child.kind == Node::Kind::repeat && child.children[0]->kind == Node::Kind::run)
      return plane(at, {.bytes = child.children[0]->size,
                        .count = child.count,
                        .stride = child.stride,
                        .rows = count,
                        .row_stride = node.stride});
    for (std::int64_t i = 0; i < count; ++i) range(child, at + i * node.stride, 0, child.size);
  }

  void sequence(const Node& node, std::int64_t at, std::int64_t begin, std::int64_t end) {
    for (auto i = child_at(node, begin); i < node.displacements.size() && node.prefix[i] < end; ++i)
      range(*node.child_of(i), at + node.displacements[i],
            std::max<std::int64_t>(begin - node.prefix[i], 0),
            std::min(end, node.prefix[i + 1]) - node.prefix[i]);
  }

  void list(const Node& node, std::int64_t at, std::int64_t begin, std::int64_t end) {
    auto i = child_at(node, begin);
    if (const std::int64_t inside = begin - node.prefix[i]; inside > 0) {
      run(at + node.displacements[i] + inside, std::min(end, node.prefix[i + 1]) - begin);
      ++i;
    }
    // The whole runs end before `last`.
    const auto last = end == node.size ? node.displacements.size() : child_at(node, end);
    if (i < last) {
      const RunList whole{node.displacements.data() + i, node.prefix.data() + i,
                          static_cast<std::int64_t>(last - i)};
      if constexpr (kPack)
        kernels_.gather_list(whole, address(base_, at), packed_);
      else
        kernels_.scatter_list(whole, packed_, address(base_, at));
      packed_ += node.prefix[last] - node.prefix[i];
      i = last;
    }
    if (i == last && i < node.displacements.size() && node.prefix[i] < end)
      run(at + node.displacements[i], end - node.prefix[i]);
  }

  static std::size_t child_at(const Node& node, std::int64_t k) {
    const auto found = std::upper_bound(node.prefix.begin(), node.prefix.end(), k);
    return static_cast<std::size_t>(found - node.prefix.begin() - 1);
  }

  const CopyKernels& kernels_;
  MemoryByte<kPack>* base_;
  PackedByte<kPack>* packed_;
};

}  // namespace

void pack_with(const CopyKernels& kernels, const StreamRange& range, const std::byte* base,
               std::byte* packed) {
  if (range.begin >= range.end) return;
  Walk<true>(kernels, base, packed)
      .range(*range.pattern.node(), range.pattern.origin(), range.begin, range.end);
}

void unpack_with(const CopyKernels& kernels, const StreamRange& range, std::byte* base,
                 const std::byte* packed) {
  if (range.begin >= range.end) return;
  Walk<false>(kernels, base, packed)
      .range(*range.pattern.node(), range.pattern.origin(), range.begin, range.end);
}

}  // namespace pattern_detail

void pack(const Pattern& pattern, const std::byte* base, std::int64_t begin, std::int64_t end,
          std::byte* packed) {
  pattern_detail::pack_with(pattern_detail::copy_kernels(), {pattern, begin, end}, base, packed);
}

void unpack(const Pattern& pattern, std::byte* base, std::int64_t begin, std::int64_t end,
            const std::byte* packed) {
  pattern_detail::unpack_with(pattern_detail::copy_kernels(), {pattern, begin, end}, base, packed);
}

}  // namespace tutti
