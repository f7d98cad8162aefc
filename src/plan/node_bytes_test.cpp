#include "plan/node_bytes.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/accesses.hpp"
#include "support/run_plans.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

using Counts = std::vector<std::int64_t>;

// The demonstration program's first call: process i of four takes segments i, i + 4, i + 8, i + 12
// of 64 KiB of a file striped over four nodes.
TEST(NodeBytes, SegmentsOfAStripeLieOnOneNode) {
  const StripeLayout layout{64 << 10, 4, 0};
  const auto segments = [](std::int64_t rank, std::int64_t bytes) {
    return whole(Pattern::repeat(4, 4 * bytes, Pattern::run(bytes)).shifted(rank * bytes));
  };
  EXPECT_EQ(bytes_on_nodes(segments(2, 64 << 10), layout), (Counts{0, 0, 256 << 10, 0}));
  // Half a stripe: segments 1, 5, 9 and 13 lie in stripes 0, 2, 4 and 6.
  EXPECT_EQ(bytes_on_nodes(segments(1, 32 << 10), layout), (Counts{64 << 10, 0, 64 << 10, 0}));
  EXPECT_EQ(bytes_on_nodes(segments(3, 128 << 10), layout), (Counts{0, 0, 256 << 10, 256 << 10}));
}

TEST(NodeBytes, TheFirstStripeMayLieElsewhere) {
  EXPECT_EQ(bytes_on_nodes(whole(Pattern::run(250, 50)), {100, 3, 2}), (Counts{100, 100, 50}));
}

TEST(NodeBytes, NothingToCount) {
  EXPECT_TRUE(bytes_on_nodes({}, {64, 4, 0}).empty());
  EXPECT_TRUE(bytes_on_nodes(whole(Pattern::run(10)), {}).empty());
  EXPECT_TRUE(bytes_on_nodes(whole(Pattern::run(10)), {0, 4, 0}).empty());
  EXPECT_TRUE(
      bytes_on_nodes(whole(Pattern::repeat(3, -8, Pattern::run(4, 100))), {64, 4, 0}).empty());
}

// As a file of 64 GiB in stripes of 64 KiB, each rank every fourth byte: stripe by stripe this
// would take a second, by periods no time.
TEST(NodeBytes, LongRegularStreamsAreCountedByPeriods) {
  const std::int64_t bytes = std::int64_t{16} << 30;
  const FileRange range = whole(Pattern::repeat(bytes, 4, Pattern::run(1)));
  EXPECT_EQ(bytes_on_nodes(range, {64 << 10, 16, 3}), Counts(16, bytes / 16));
}

TEST(NodeBytes, AgreesWithCountingByteByByte) {
  const std::uint64_t seed = test_seed("AgreesWithCounting", 51'000'000);
  for (int i = 0; i < 3000; ++i) {
    CallMaker maker(seed + static_cast<std::uint64_t>(i));
    const RandomCall call = maker.call(6, true);
    for (std::size_t rank = 0; rank < call.accesses.size(); ++rank) {
      const FileRange& access = call.accesses[rank];
      if (access.bytes == 0 || !access.stream.is_monotone()) continue;
      Counts expected(static_cast<std::size_t>(call.facts.layout.io_nodes), 0);
      for_each_byte(access, [&](std::int64_t, std::int64_t offset) {
        ++expected[static_cast<std::size_t>(call.facts.layout.node_of(offset))];
      });
      ASSERT_EQ(call.facts.ranks[rank].on_node, expected) << "call " << i << " rank " << rank;
    }
  }
}

}  // namespace
}  // namespace tutti::test
