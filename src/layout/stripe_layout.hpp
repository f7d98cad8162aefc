// Which I/O node holds which bytes of a file: round robin in closed form, or a table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "base/extent.hpp"
#include "layout/placement_table.hpp"

namespace tutti {

// Nodes are numbered from 0; some may hold nothing of the file.
struct StripeLayout {
  std::int64_t unit_bytes = 0;  // 0: the storage has no striping anybody can use
  std::int32_t io_nodes = 1;
  std::int32_t first_node = 0;
  std::shared_ptr<const PlacementTable> table = nullptr;  // null: round robin

  bool striped() const { return unit_bytes > 0 && io_nodes > 1; }
  // Whether unit_bytes, io_nodes and first_node say everything.
  bool round_robin() const { return table == nullptr; }
  // Whether node_of() knows every byte of `range`.
  bool covers(Extent range) const { return unit_bytes > 0 && (!table || table->covers(range)); }
  // Whether it says all there is to know about every file offset; otherwise the storage has to be
  // asked about each range of interest (DeviceBackend::layout_for).
  bool complete() const {
    return !table || table->covers({0, std::numeric_limits<std::int64_t>::max()});
  }
  // REQUIRES: unit_bytes > 0, offset >= 0. Where a table does not reach the answer is node 0.
  std::int32_t node_of(std::int64_t offset) const {
    if (table) return table->node_of(offset).value_or(0);
    return static_cast<std::int32_t>((offset / unit_bytes + first_node) % io_nodes);
  }
  // A shift of the file by a multiple of this leaves every byte on its node: 1 without striping, 0
  // where no shift is known to.
  std::int64_t period_bytes() const;
  // The same for equal layouts, in every process.
  LayoutPrint print() const;

  friend bool operator==(const StripeLayout& a, const StripeLayout& b);
};

// A layout by table; unit_bytes is its smallest block. An empty table stands for a placement that
// has to be asked for range by range; `unit_bytes` is its unit and `io_nodes` a lower bound then.
StripeLayout layout_by_table(std::shared_ptr<const PlacementTable> table,
                             std::int64_t unit_bytes = 0, std::int32_t io_nodes = 1);

// Calls visit(Extent run, std::int32_t node) for the longest runs of bytes on one node in `range`,
// ascending; bytes that a table does not cover are left out. REQUIRES: layout.unit_bytes > 0.
template <class Visit>
void for_each_node_run(const StripeLayout& layout, Extent range, Visit&& visit) {
  Extent run;
  std::int32_t run_node = -1;
  const auto add = [&](Extent block, std::int32_t node) {
    if (node == run_node && run.end() == block.offset) {
      run.bytes += block.bytes;
      return;
    }
    if (run.bytes > 0) visit(run, run_node);
    run = block;
    run_node = node;
  };
  const auto add_blocks = [&](Extent part, std::int64_t unit, auto&& node_at) {
    for (std::int64_t at = part.offset; at < part.end();) {
      const std::int64_t bytes = std::min(unit - at % unit, part.end() - at);
      add({at, bytes}, node_at(at));
      at += bytes;
    }
  };
  if (layout.table) {
    for (const PlacementPart& part : layout.table->parts()) {
      const std::int64_t begin = std::max(part.range.offset, range.offset);
      const std::int64_t end = std::min(part.range.end(), range.end());
      if (begin < end)
        add_blocks({begin, end - begin}, part.block_bytes,
                   [&](std::int64_t at) { return node_in(part, at); });
    }
  } else if (layout.io_nodes == 1) {
    if (range.bytes > 0) add(range, layout.node_of(range.offset));
  } else {
    add_blocks(range, layout.unit_bytes, [&](std::int64_t at) { return layout.node_of(at); });
  }
  if (run.bytes > 0) visit(run, run_node);
}

}  // namespace tutti
