#include "layout/stripe_components.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <vector>

namespace tutti {
namespace {

StripeLayout any_layout() {
  StripeLayout layout;
  layout.unit_bytes = *rc::gen::inRange<std::int64_t>(1, 9);
  layout.io_nodes = *rc::gen::inRange<std::int32_t>(1, 7);
  layout.first_node = *rc::gen::inRange<std::int32_t>(0, layout.io_nodes);
  return layout;
}

// Every byte goes to the next free place of its component: the closed forms must agree.
TEST(StripeComponents, AgreeWithDealingOutBytes) {
  EXPECT_TRUE(rc::check("bytes are dealt out round robin", [] {
    const StripeLayout layout = any_layout();
    const auto bytes = *rc::gen::inRange<std::int64_t>(0, 200);
    std::vector<std::int64_t> dealt(static_cast<std::size_t>(layout.io_nodes), 0);
    for (std::int64_t offset = 0; offset < bytes; ++offset) {
      const std::int32_t node = layout.node_of(offset);
      std::int64_t& next = dealt[static_cast<std::size_t>(node)];
      RC_ASSERT(component_offset(layout, offset) == next);
      ++next;
      RC_ASSERT(file_bytes_for(layout, node, next) == offset + 1);
    }
    for (std::int32_t node = 0; node < layout.io_nodes; ++node) {
      RC_ASSERT(component_bytes(layout, node, bytes) == dealt[static_cast<std::size_t>(node)]);
    }
  }));
}

TEST(StripeComponents, NoFileForNoBytes) {
  EXPECT_EQ(file_bytes_for({.unit_bytes = 8, .io_nodes = 3, .first_node = 1}, 2, 0), 0);
}

TEST(StripeComponents, SizesThatNoFileHasAreNoticed) {
  const StripeLayout layout{.unit_bytes = 1 << 16, .io_nodes = 16, .first_node = 0};
  EXPECT_FALSE(file_bytes_for(layout, 3, std::numeric_limits<std::int64_t>::max()));
  EXPECT_FALSE(file_bytes_for(layout, 15, (std::int64_t{1} << 59) + 1));
  EXPECT_TRUE(file_bytes_for(layout, 15, std::int64_t{1} << 58));
}

TEST(StripeComponents, FarOffsets) {
  const StripeLayout layout{.unit_bytes = 65536, .io_nodes = 4, .first_node = 2};
  const std::int64_t far = std::numeric_limits<std::int64_t>::max() - 1;
  const std::int64_t inside = component_offset(layout, far);
  EXPECT_EQ(file_bytes_for(layout, layout.node_of(far), inside + 1), far + 1);
}

}  // namespace
}  // namespace tutti
