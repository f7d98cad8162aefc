// The elements of a datatype in typemap order, as a small tree: which kinds follow each other, how
// often, and how many bytes they take in memory and in a file of another representation.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/result.hpp"

namespace tutti {

// How one element becomes bytes of a file.
enum class Encoding : std::uint8_t {
  copy,            // the same bytes
  swap,            // the same bytes in the other order: big-endian files
  wide_character,  // 4 bytes of UTF-32 and 2 bytes of UTF-16
  long_double,     // the compiler's long double and IEEE binary128, big-endian
  by_function,     // a function of the program's
};

struct ElementKind {
  Encoding encoding = Encoding::copy;
  std::int32_t memory_bytes = 1;
  std::int32_t file_bytes = 1;

  friend bool operator==(const ElementKind&, const ElementKind&) = default;
};

// A distance in a sequence of elements, in three units.
struct ElementSpan {
  std::int64_t elements = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t file_bytes = 0;

  friend bool operator==(const ElementSpan&, const ElementSpan&) = default;
  friend ElementSpan operator+(const ElementSpan& a, const ElementSpan& b) {
    return {a.elements + b.elements, a.memory_bytes + b.memory_bytes, a.file_bytes + b.file_bytes};
  }
  friend ElementSpan operator*(const ElementSpan& a, std::int64_t n) {
    return {a.elements * n, a.memory_bytes * n, a.file_bytes * n};
  }
};

// Immutable and cheap to copy.
class ElementMap {
 public:
  // No element at all.
  ElementMap() = default;
  static ElementMap run(ElementKind kind, std::int64_t count);
  // Fails with invalid_type where a total reaches 2^61.
  static Result<ElementMap> repeat(std::int64_t count, const ElementMap& child);
  static Result<ElementMap> sequence(std::span<const ElementMap> children);

  const ElementSpan& total() const { return total_; }

  // Of the largest element, 0 without elements.
  std::int64_t largest_file_bytes() const { return largest_; }

  // The last boundary between elements at or before file byte `file_bytes`.
  // REQUIRES: 0 <= file_bytes <= total().file_bytes.
  ElementSpan boundary_before(std::int64_t file_bytes) const;

  // Calls visit(kind, count) for elements [begin, end) in order, until it fails.
  // REQUIRES: 0 <= begin <= end <= total().elements.
  using Visit = std::function<Status(ElementKind, std::int64_t)>;
  Status for_each_run(std::int64_t begin, std::int64_t end, const Visit& visit) const;

 private:
  struct Part;
  using Parts = std::shared_ptr<const Part[]>;

  // `count_` times: one element, or the parts in order.
  std::int64_t count_ = 0;
  ElementKind kind_;  // without parts
  Parts parts_;
  std::int64_t part_count_ = 0;
  ElementSpan once_;
  ElementSpan total_;
  std::int64_t largest_ = 0;
};

struct ElementMap::Part {
  ElementSpan before;  // of the parts before this one
  ElementMap map;
};

}  // namespace tutti
