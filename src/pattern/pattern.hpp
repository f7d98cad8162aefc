// A Pattern is an ordered set of bytes relative to an origin: a run, a repetition of a pattern, or
// a sequence of displaced patterns. The order is the *stream*: byte k of the stream lies at
// offset_of(k).
//
// Patterns are immutable values in normal form (adjacent runs merged, constant strides found in
// lists turned into repetitions), cheap to copy, and never hold a list of pieces for a regular
// access.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "base/extent.hpp"

namespace tutti {

namespace pattern_detail {
struct Node;
}

using Fingerprint = std::array<std::uint64_t, 2>;

class Pattern {
 public:
  // No byte at all.
  Pattern() = default;

  // `bytes` consecutive bytes from `offset`. Zero or fewer bytes: the empty pattern.
  static Pattern run(std::int64_t bytes, std::int64_t offset = 0);

  // `child` placed at 0, stride, 2·stride, …; the stride may be zero or negative.
  // REQUIRES: count · size and count · stride fit in 62 bits.
  static Pattern repeat(std::int64_t count, std::int64_t stride, const Pattern& child);

  // `child` repeated without end: as often as 62-bit offsets and sizes allow.
  static Pattern tiled(const Pattern& child, std::int64_t extent);

  struct Placed;
  // Children in stream order, each moved by its displacement.
  static Pattern sequence(std::span<const Placed> children);

  // Runs in stream order; empty ones are dropped. The same normal form as the MPI constructors
  // give.
  static Pattern tuples(std::span<const Extent> runs);

  Pattern shifted(std::int64_t by) const;

  bool empty() const { return node_ == nullptr; }
  std::int64_t size() const;       // data bytes
  std::int64_t lower() const;      // smallest offset, 0 when empty
  std::int64_t upper() const;      // largest offset + 1, 0 when empty
  std::int64_t first() const;      // offset of stream byte 0, 0 when empty
  std::int64_t run_count() const;  // upper bound of contiguous pieces; saturates at 2^62
  bool is_contiguous() const;      // one run or empty
  bool is_monotone() const;        // every stream byte lies above the one before: rank is defined
  bool is_ordered() const;         // starts of runs never decrease (MPI's rule for filetypes)

  // Select: where stream byte k lies. REQUIRES: 0 <= k < size(); k == size() gives one past the
  // last byte.
  std::int64_t offset_of(std::int64_t k) const;

  // Rank: how many bytes lie below `offset`. REQUIRES: is_monotone().
  std::int64_t bytes_below(std::int64_t offset) const;

  // Whether every byte of `window` belongs to the pattern. REQUIRES: is_monotone().
  bool covers(Extent window) const;

  // Stream bytes [begin, end) as a pattern of their own, at the same offsets.
  // REQUIRES: 0 <= begin <= end <= size().
  Pattern slice(std::int64_t begin, std::int64_t end) const;

  // Equal for equal trees; 128 bits, so distinct patterns are taken as distinct.
  Fingerprint fingerprint() const;
  friend bool operator==(const Pattern& a, const Pattern& b);

  // For the walkers of this folder (blocks.hpp, serialise.cpp).
  const pattern_detail::Node* node() const { return node_.get(); }
  std::int64_t origin() const { return origin_; }

 private:
  friend struct pattern_detail::Node;
  using NodePtr = std::shared_ptr<const pattern_detail::Node>;
  Pattern(std::int64_t origin, NodePtr node) : origin_(origin), node_(std::move(node)) {}

  std::int64_t origin_ = 0;  // offset of the first stream byte
  NodePtr node_;             // its own first stream byte is at 0
};

struct Pattern::Placed {
  std::int64_t displacement = 0;
  Pattern child;
};

}  // namespace tutti
