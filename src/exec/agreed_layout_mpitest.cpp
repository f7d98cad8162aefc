#include "inspect/agreed_layout.hpp"

#include <gtest/gtest.h>

#include "exec/progress.hpp"
#include "inspect/mpi_exchange.hpp"
#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

StripeLayout table_layout(std::int32_t first, Extent range) {
  std::vector<std::int32_t> nodes;
  for (std::int64_t set = 0; set * 64 < range.end(); ++set)
    nodes.push_back(static_cast<std::int32_t>((first + set * set) % 5));
  return layout_by_table(*PlacementTable::make(
      {{.range = range, .block_bytes = 64, .object_blocks = 1, .nodes = nodes}}));
}

// What all ranks agree on when this one has `state` and accesses 100 bytes behind the others'.
StripeLayout agreed(InspectorState& state) {
  state.layout_print = state.layout.print();
  MpiExchange exchange(MPI_COMM_WORLD, nullptr, program_caller());
  const Hints hints;
  Counters counters;
  const InspectCall call{exchange, world_rank(), world_size(), hints, state, counters};
  const Access access{Direction::write,
                      {Pattern::run(100).shifted(world_rank() * 100), 0, 100},
                      {Pattern(), nullptr}};
  std::vector<CallCard> cards(static_cast<std::size_t>(world_size()));
  EXPECT_TRUE(tell_all(call, make_card(call, access), cards).has_value());
  const auto layout = agreed_layout(call, cards);
  EXPECT_TRUE(layout.has_value());
  // Everybody has the same one.
  LayoutPrint mine = layout->print();
  LayoutPrint first = mine;
  MPI_Bcast(first.data(), 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  EXPECT_EQ(mine, first);
  return *layout;
}

TEST(AgreedLayout, RoundRobinOnAllRanks) {
  InspectorState state;
  state.layout = {64, 4, 1};
  EXPECT_EQ(agreed(state), (StripeLayout{64, 4, 1}));
}

TEST(AgreedLayout, RankZeroWinsWhereRanksFoundDifferentOnes) {
  InspectorState state;
  state.layout = {64, 4, world_rank() % 4};
  EXPECT_EQ(agreed(state), (StripeLayout{64, 4, 0}));
  EXPECT_EQ(state.layout, (StripeLayout{64, 4, 0})) << "from now on, too";
}

TEST(AgreedLayout, OnlyOneRankKnowsAnything) {
  for (const int knows : {0, world_size() - 1}) {
    InspectorState state;
    if (world_rank() == knows) state.layout = {64, 4, 0};
    const StripeLayout expected = knows == 0 ? StripeLayout{64, 4, 0} : StripeLayout();
    EXPECT_EQ(agreed(state), expected);
  }
}

TEST(AgreedLayout, TablesAreAskedForTheRangeOfAllRanks) {
  const Extent all{0, 100 * std::int64_t{world_size()}};
  for (const bool differ : {false, true}) {
    InspectorState state;
    state.layout = layout_by_table(*PlacementTable::make({}), 64, 5);
    Extent asked;
    state.layout_for = [&](Extent range) {
      asked = range;
      return table_layout(differ ? world_rank() : 3, range);
    };
    const StripeLayout layout = agreed(state);
    EXPECT_EQ(asked, all);
    EXPECT_TRUE(layout.covers(all));
    EXPECT_EQ(layout, table_layout(differ ? 0 : 3, all));
    EXPECT_FALSE(state.layout.complete()) << "the next call asks again";
  }
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
