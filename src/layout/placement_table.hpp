// Where bytes lie when no one formula says so: a file in consecutive parts, each dealt out in
// blocks to objects, and the I/O node of every object written down.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/extent.hpp"
#include "base/result.hpp"

namespace tutti {

using LayoutPrint = std::array<std::uint64_t, 2>;

// Block b of the file (counted from offset 0) goes to column b mod columns. A set of `columns`
// objects takes object_blocks blocks into each of them; then the next set begins.
struct PlacementPart {
  Extent range;
  std::int64_t block_bytes = 0;
  std::int32_t columns = 1;
  std::int64_t object_blocks = 0;   // 0: objects have no end, one set serves the whole part
  std::int64_t first_set = 0;       // the set that `nodes` begins with
  std::vector<std::int32_t> nodes;  // of every object, set after set, columns in order

  friend bool operator==(const PlacementPart&, const PlacementPart&) = default;
};

// Immutable, so that layouts share it.
class PlacementTable {
 public:
  // Fails with invalid_argument unless the parts ascend without overlap, every number is one that
  // can be divided by, and `nodes` (0 or more each) has an entry for every object in `range`.
  static Result<std::shared_ptr<const PlacementTable>> make(std::vector<PlacementPart> parts);

  const std::vector<PlacementPart>& parts() const { return parts_; }
  // The part that `offset` lies in; null in gaps and outside.
  const PlacementPart* part_at(std::int64_t offset) const;
  // Whether every byte of `range` is in some part.
  bool covers(Extent range) const;
  std::optional<std::int32_t> node_of(std::int64_t offset) const;
  std::int32_t highest_node() const { return highest_node_; }      // -1: no part
  std::int64_t smallest_block() const { return smallest_block_; }  // 0: no part
  const LayoutPrint& print() const { return print_; }
  friend bool operator==(const PlacementTable& a, const PlacementTable& b) {
    return a.print_ == b.print_ && a.parts_ == b.parts_;
  }

 private:
  PlacementTable() = default;
  std::vector<PlacementPart> parts_;
  std::int32_t highest_node_ = -1;
  std::int64_t smallest_block_ = 0;
  LayoutPrint print_{};
};

// REQUIRES: part.range has `offset`, and `part` belongs to a table.
std::int32_t node_in(const PlacementPart& part, std::int64_t offset);

}  // namespace tutti
