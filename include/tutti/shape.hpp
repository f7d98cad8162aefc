// Shapes: which bytes of a file or of memory an access means, and in which order. A shape keeps the
// structure it was given (repetitions stay repetitions), so a regular one takes some dozens of
// bytes whatever it describes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "tutti/outcome.hpp"

namespace tutti::io {

// `bytes` consecutive bytes from `offset` on.
struct Extent {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

// Which index of an array varies fastest: the last (c) or the first (fortran).
enum class Order { c, fortran };

// A box of sizes[d] elements from starts[d] on, inside an array of full[d] elements per dimension.
struct Subarray {
  std::span<const std::int64_t> full;
  std::span<const std::int64_t> sizes;
  std::span<const std::int64_t> starts;
  Order order = Order::c;
};

// One rank's share of an array that is distributed over a grid of processes, dimension by
// dimension.
enum class Deal { none, block, cyclic };
struct DarrayDim {
  std::int64_t full = 0;
  Deal deal = Deal::none;
  std::int64_t block = 0;  // 0: as even as possible for block, 1 for cyclic
  std::int64_t processes = 1;
};
struct Darray {
  std::span<const DarrayDim> dims;
  std::int64_t rank = 0;  // place in the process grid, the last dimension varying fastest
  Order order = Order::c;
};

// One rank's elements of a vector that is dealt out in blocks.
struct BlockCyclic {
  std::int64_t ranks = 1;
  std::int64_t rank = 0;
  std::int64_t elements = 0;  // of the whole vector
  std::int64_t block = 1;     // elements
  std::int64_t element_bytes = 1;
};

namespace detail {
struct ShapeData;
}

// An immutable value, cheap to copy. A shape made from wrong arguments is a value too: error() says
// what is wrong, and a plan made with it fails on all ranks, so that no rank waits for another.
// All functions are local. Offsets and sizes stay below 2^61.
class TUTTI_PUBLIC Shape {
 public:
  // No byte at all: what a rank without data passes.
  Shape() = default;

  static Shape run(std::int64_t bytes, std::int64_t offset = 0);
  // `child` at 0, stride, 2·stride, …; the stride may be zero or negative.
  static Shape repeat(std::int64_t count, std::int64_t stride, const Shape& child);
  // Runs in the order of data; empty ones are dropped.
  static Shape tuples(std::span<const Extent> runs);
  // One shape's bytes after the other's.
  static Shape sequence(std::span<const Shape> parts);
  // Distributed arrays, as MPI_Type_create_subarray and MPI_Type_create_darray define them; offsets
  // count from the array's first byte.
  static Shape subarray(const Subarray& box, std::int64_t element_bytes);
  static Shape darray(const Darray& share, std::int64_t element_bytes);
  static Shape block_cyclic(const BlockCyclic& share);

  // The same bytes, all offsets moved.
  Shape shifted(std::int64_t by) const;

  std::int64_t bytes() const;  // data bytes
  std::int64_t lower() const;  // smallest offset
  std::int64_t upper() const;  // largest offset + 1
  std::optional<Error> error() const;

  // For the library.
  const detail::ShapeData* data() const { return data_.get(); }
  explicit Shape(std::shared_ptr<const detail::ShapeData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const detail::ShapeData> data_;
};

}  // namespace tutti::io
