#include "layout/stripe_layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <map>
#include <vector>

#include "layout/layout_words.hpp"

namespace tutti {
namespace {

using Runs = std::vector<std::pair<Extent, std::int32_t>>;

constexpr std::int64_t kEverything = std::numeric_limits<std::int64_t>::max();

Runs runs_of(const StripeLayout& layout, Extent range) {
  Runs runs;
  for_each_node_run(layout, range,
                    [&](Extent run, std::int32_t node) { runs.emplace_back(run, node); });
  return runs;
}

StripeLayout layout_of(std::vector<PlacementPart> parts) {
  auto table = PlacementTable::make(std::move(parts));
  EXPECT_TRUE(table.has_value());
  return layout_by_table(*table);
}

StripeLayout any_layout() {
  if (*rc::gen::inRange(0, 3) == 0) {
    StripeLayout layout;
    layout.unit_bytes = *rc::gen::inRange<std::int64_t>(1, 9);
    layout.io_nodes = *rc::gen::inRange<std::int32_t>(1, 5);
    layout.first_node = *rc::gen::inRange<std::int32_t>(0, layout.io_nodes);
    return layout;
  }
  std::vector<PlacementPart> parts;
  std::int64_t at = *rc::gen::inRange<std::int64_t>(0, 30);
  const int count = *rc::gen::inRange(1, 4);
  for (int i = 0; i < count; ++i) {
    PlacementPart part;
    part.range = {at, *rc::gen::inRange<std::int64_t>(1, 60)};
    part.block_bytes = *rc::gen::inRange<std::int64_t>(1, 6);
    part.columns = *rc::gen::inRange<std::int32_t>(1, 4);
    part.object_blocks = *rc::gen::inRange<std::int64_t>(0, 4);
    std::int64_t sets = 1;
    if (part.object_blocks > 0) {
      const std::int64_t set_bytes = part.block_bytes * part.columns * part.object_blocks;
      part.first_set = part.range.offset / set_bytes;
      sets = (part.range.end() - 1) / set_bytes - part.first_set + 1;
    }
    part.nodes = *rc::gen::container<std::vector<std::int32_t>>(
        static_cast<std::size_t>(sets * part.columns), rc::gen::inRange<std::int32_t>(0, 5));
    at = part.range.end() + *rc::gen::inRange<std::int64_t>(0, 10);
    parts.push_back(part);
  }
  return layout_of(parts);
}

// The node of a byte, by dealing out all blocks before it one after the other.
std::optional<std::int32_t> dealt_node(const StripeLayout& layout, std::int64_t offset) {
  if (layout.round_robin()) return layout.node_of(offset);
  for (const PlacementPart& part : layout.table->parts()) {
    if (offset < part.range.offset || offset >= part.range.end()) continue;
    std::int32_t column = 0;
    std::int64_t in_object = 0;
    std::int64_t set = 0;
    for (std::int64_t left = offset / part.block_bytes; left > 0; --left) {
      if (++column < part.columns) continue;
      column = 0;
      if (++in_object < part.object_blocks || part.object_blocks == 0) continue;
      in_object = 0;
      ++set;
    }
    return part.nodes[static_cast<std::size_t>((set - part.first_set) * part.columns + column)];
  }
  return std::nullopt;
}

TEST(StripeLayout, EveryByteIsInOneRunOfItsNodeAndRunsAreMaximal) {
  EXPECT_TRUE(rc::check("runs agree with dealing out blocks", [] {
    const StripeLayout layout = any_layout();
    const Extent range{*rc::gen::inRange<std::int64_t>(0, 100),
                       *rc::gen::inRange<std::int64_t>(0, 150)};
    std::map<std::int64_t, std::int32_t> found;
    std::int64_t reached = range.offset;
    std::int32_t previous = -1;
    for (const auto& [run, node] : runs_of(layout, range)) {
      RC_ASSERT(run.bytes > 0 && run.offset >= reached && run.end() <= range.end());
      RC_ASSERT(run.offset > reached || node != previous || reached == range.offset);
      for (std::int64_t at = run.offset; at < run.end(); ++at) found[at] = node;
      reached = run.end();
      previous = node;
    }
    for (std::int64_t at = range.offset; at < range.end(); ++at) {
      const auto expected = dealt_node(layout, at);
      RC_ASSERT(found.contains(at) == expected.has_value());
      RC_ASSERT(layout.covers({at, 1}) == expected.has_value());
      if (!expected) continue;
      RC_ASSERT(found[at] == *expected);
      RC_ASSERT(layout.node_of(at) == *expected);
      RC_ASSERT(*expected < layout.io_nodes);
    }
    RC_ASSERT(layout.covers(range) == (std::ssize(found) == range.bytes));
  }));
}

TEST(StripeLayout, AShiftByThePeriodKeepsEveryNode) {
  EXPECT_TRUE(rc::check("period", [] {
    const StripeLayout layout = any_layout();
    const std::int64_t period = layout.period_bytes();
    if (!layout.striped()) {
      RC_ASSERT(period == 1);
    } else if (layout.round_robin()) {
      for (std::int64_t at = 0; at < 100; ++at)
        RC_ASSERT(layout.node_of(at) == layout.node_of(at + period));
    } else {
      RC_ASSERT(period == 0);
    }
  }));
  const StripeLayout overstriped =
      layout_of({{.range = {0, kEverything}, .block_bytes = 8, .columns = 3, .nodes = {0, 1, 0}}});
  EXPECT_EQ(overstriped.period_bytes(), 24);
  EXPECT_TRUE(overstriped.complete());
  EXPECT_EQ(overstriped.node_of(16), 0);
  EXPECT_EQ(overstriped.node_of(kEverything - 1), 0);
}

TEST(StripeLayout, SaysWhatItIs) {
  EXPECT_FALSE(StripeLayout().striped());
  EXPECT_EQ(StripeLayout().period_bytes(), 1);
  EXPECT_TRUE(StripeLayout().complete());
  EXPECT_FALSE(StripeLayout().covers({0, 1}));
  const StripeLayout plain{.unit_bytes = 64, .io_nodes = 4, .first_node = 1};
  EXPECT_TRUE(plain.round_robin());
  EXPECT_TRUE(plain.covers({0, kEverything}));
  const StripeLayout asked = layout_by_table(*PlacementTable::make({}), 64, 4);
  EXPECT_FALSE(asked.round_robin());
  EXPECT_FALSE(asked.complete());
  EXPECT_FALSE(asked.covers({0, 1}));
  EXPECT_EQ(asked.period_bytes(), 0);
  EXPECT_EQ(asked.unit_bytes, 64);
  EXPECT_TRUE(runs_of(asked, {0, 1000}).empty());
}

TEST(StripeLayout, EqualByValueAndByPrint) {
  const PlacementPart part{.range = {0, 100}, .block_bytes = 10, .columns = 2, .nodes = {3, 1}};
  PlacementPart other = part;
  other.nodes = {1, 3};
  EXPECT_EQ(layout_of({part}), layout_of({part}));
  EXPECT_EQ(layout_of({part}).print(), layout_of({part}).print());
  EXPECT_NE(layout_of({part}), layout_of({other}));
  EXPECT_NE(layout_of({part}).print(), layout_of({other}).print());
  EXPECT_NE(layout_of({part}), (StripeLayout{10, 4, 0}));
  EXPECT_NE((StripeLayout{10, 4, 0}).print(), (StripeLayout{10, 4, 1}).print());
}

TEST(PlacementTable, RefusesWhatCannotBe) {
  const PlacementPart good{.range = {0, 100},
                           .block_bytes = 10,
                           .columns = 2,
                           .object_blocks = 3,
                           .nodes = {0, 1, 2, 3}};
  ASSERT_TRUE(PlacementTable::make({good}).has_value());
  const auto refused = [&](auto&& spoil) {
    PlacementPart part = good;
    spoil(part);
    return !PlacementTable::make({part}).has_value();
  };
  EXPECT_TRUE(refused([](PlacementPart& part) { part.block_bytes = 0; }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.block_bytes = -1; }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.columns = 0; }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.object_blocks = -1; }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.range.bytes = 0; }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.range = {kEverything, 2}; }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.range.bytes = 121; }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.nodes.pop_back(); }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.nodes.clear(); }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.nodes[1] = -1; }));
  EXPECT_TRUE(refused([](PlacementPart& part) { part.first_set = 1; }));
  EXPECT_FALSE(PlacementTable::make({good, good}).has_value()) << "overlap";
}

TEST(LayoutWords, ComeBackAsTheyWere) {
  EXPECT_TRUE(rc::check("round trip", [] {
    const StripeLayout layout = any_layout();
    const auto words = layout_words(layout);
    const auto back = layout_from_words(words);
    RC_ASSERT(back.has_value());
    RC_ASSERT(*back == layout);
    RC_ASSERT(back->print() == layout.print());
    const auto cut = *rc::gen::inRange<std::size_t>(0, words.size());
    const auto part = layout_from_words(std::span(words).first(cut));
    RC_ASSERT(!part || *part != layout);
  }));
}

TEST(LayoutWords, NonsenseIsRefusedOrUsable) {
  EXPECT_TRUE(rc::check("spoilt words", [] {
    auto words = layout_words(any_layout());
    const auto at = *rc::gen::inRange<std::size_t>(0, words.size());
    words[at] =
        *rc::gen::oneOf(rc::gen::arbitrary<std::int64_t>(), rc::gen::inRange<std::int64_t>(-2, 9));
    const auto layout = layout_from_words(words);
    if (!layout || layout->unit_bytes == 0) return;
    for (std::int64_t offset = 0; offset < 200; ++offset) {
      const std::int32_t node = layout->node_of(offset);
      RC_ASSERT(node >= 0 && node < layout->io_nodes);
    }
  }));
}

}  // namespace
}  // namespace tutti
