// Recursive Phy2Log through exchanged datatypes gives what the irregular inspector was told.
#include "strategy/inplace_trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "strategy/inplace_irregular.hpp"
#include "strategy/inplace_regular.hpp"

namespace tutti::inplace {
namespace {

std::vector<Tuples> distributions_of(const CyclicVector& x) {
  std::vector<Tuples> result;
  for (int rank = 0; rank < x.ranks; ++rank) result.push_back(x.tuples(rank));
  return result;
}

// Section 3.3.3: rank 0 receives {2,2} from rank 1, and {2,1},{6,1} from rank 2, whose element 6
// came from rank 3 by the datatype {4,2}.
TEST(InplaceTrace, WorkedExampleOfRank0) {
  const History rank1{2, {{1, 1}, {5, 1}, {9, 1}, {13, 1}}, {}};
  EXPECT_EQ(*trace_logical(rank1, Tuples{{2, 2}}), (Tuples{{1, 1}, {5, 1}}));

  const History rank3{4, {{3, 1}, {7, 1}, {11, 1}, {15, 1}}, {}};
  const History rank2{2, {{2, 1}, {6, 1}, {10, 1}, {14, 1}}, {{6, {{4, 2}}, rank3}}};
  EXPECT_EQ(*trace_logical(rank2, Tuples{{2, 1}}), (Tuples{{2, 1}}));
  EXPECT_EQ(*trace_logical(rank2, Tuples{{6, 1}}), (Tuples{{3, 1}}));
  EXPECT_EQ(*trace_logical(rank2, Tuples{{2, 1}, {6, 1}}), (Tuples{{2, 2}}));
  EXPECT_EQ(*trace_logical(rank2, Tuples{{5, 2}}), (Tuples{{14, 1}, {3, 1}}));
  EXPECT_FALSE(trace_logical(rank2, Tuples{{0, 1}}));
  EXPECT_FALSE(trace_logical(rank2, Tuples{{7, 2}}));
}

TEST(InplaceTrace, HistoriesOfTheWorkedExample) {
  const auto distributions = distributions_of({16, 4, 1});
  const auto plans = *inspect_irregular(distributions, {0, 16});
  const auto histories = exchange_histories(plans, distributions, 1);
  ASSERT_EQ(histories[2].received.size(), 1U);
  EXPECT_EQ(histories[2].received[0].receive_offset, 6);
  EXPECT_EQ(histories[2].received[0].datatype, (Tuples{{4, 2}}));
  for (const History& history : histories) {
    ASSERT_EQ(history.received.size(), 1U);
    EXPECT_TRUE(history.received[0].source.received.empty()) << "knew this before the phase";
  }
}

// At each phase, what leaves a process according to its plan traces back to logical addresses in
// the target's interval only; at the end, what it packs traces back to what it writes.
RC_GTEST_PROP(InplaceTrace, AgreesWithTheInspectorForAnyDistribution, ()) {
  const int ranks = *rc::gen::inRange(1, 20);
  const auto owners = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, ranks));
  std::vector<Tuples> distributions(static_cast<std::size_t>(ranks));
  std::int64_t offset = 0;
  for (const int owner : owners) {
    const std::int64_t length = 1 + owner * 7 % 5;
    Tuples& tuples = distributions[static_cast<std::size_t>(owner)];
    tuples.insert(owner % 3 == 0 ? tuples.begin() : tuples.end(), Tuple{offset, length});
    offset += length;
  }
  const FileParts parts{{0, offset}, ranks};
  const auto plans = *inspect_irregular(distributions, parts.file);
  for (int phase = 0; phase < phase_count(ranks); ++phase) {
    const auto histories = exchange_histories(plans, distributions, phase);
    for (const InplacePlan& plan : plans) {
      const Interval outgoing = outgoing_interval(parts, plan.rank, phase);
      for (const Exchange& exchange : plan.phases[static_cast<std::size_t>(phase)]) {
        const auto logical =
            trace_logical(histories[static_cast<std::size_t>(plan.rank)], exchange.send);
        RC_ASSERT(logical.has_value());
        RC_ASSERT(total_length(*logical) == total_length(exchange.send));
        for (const Tuple& tuple : *logical) {
          RC_ASSERT(tuple.offset >= outgoing.first && tuple.end() <= outgoing.last);
        }
      }
    }
  }
  const auto histories = exchange_histories(plans, distributions, phase_count(ranks));
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    RC_ASSERT(*trace_logical(histories[rank], expand(plans[rank].pack)) == plans[rank].file);
  }
}

}  // namespace
}  // namespace tutti::inplace
