// ranks: 1 2 3 4 6 16
// Resonant I/O on the striped device, judged by the device's own log of requests.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "layout/stripe_components.hpp"
#include "mpi/agree.hpp"
#include "support/resonant_file.hpp"

namespace tutti::test {
namespace {

std::int64_t longest_of(const std::vector<RequestLogEntry>& requests) {
  std::int64_t longest = 0;
  for (const RequestLogEntry& request : requests) longest = std::max(longest, request.range.bytes);
  return longest;
}

class ResonantWays : public Resonant, public ::testing::WithParamInterface<TransportChoice> {
 protected:
  void SetUp() override {
    Resonant::SetUp();
    hints_.transport = GetParam();
  }
};

// The demonstration program: segments of 64 KiB on 4 I/O nodes, and smaller and larger ones.
TEST_P(ResonantWays, EveryNodeSeesOneProcessAndSequentialOffsets) {
  hints_.cb_buffer_size = 1 << 20;
  open();
  for (const std::int64_t segment : {4 << 10, 64 << 10, 96 << 10}) {
    const FileRange range = dealt(segment, (3 << 20) / segment / world_size());
    const Log writes = logged([&] { write(range); });
    EXPECT_EQ(writes.size(), 4U);
    expect_resonance(writes, TransferKind::write, true);
    const Log reads = logged([&] { read(range); });
    EXPECT_EQ(reads.size(), 4U);
    expect_resonance(reads, TransferKind::read, true);
  }
}

TEST_P(ResonantWays, HolesAreAscendingToo) {
  hints_.cb_buffer_size = 1 << 20;
  open();
  // Far apart: only the pieces travel. Interleaved ranks, so that there is an exchange.
  const FileRange range = dealt(512, 40, 40 << 10);
  const Log writes = logged([&] { write(range); });
  if (world_size() > 1) expect_resonance(writes, TransferKind::write, false);
  const Log reads = logged([&] { read(range); });
  if (world_size() > 1) expect_resonance(reads, TransferKind::read, false);
  const std::int64_t pitch = 512 + (40 << 10);
  expect_file((40 * world_size() - 1) * pitch + 512,
              [&](std::int64_t at) { return at % pitch < 512; });
}

TEST_P(ResonantWays, FewerProcessesThanNodesAndNodesWithNothingToDo) {
  for (const int nodes : {8, 16}) {
    hints_.striping_factor = nodes;
    open();
    // Interleaved pieces inside the first five stripes: the other nodes are left alone.
    const std::int64_t times = 5 * kStripe / 1024 / world_size();
    const Log writes = logged([&] { write(dealt(1024, times)); });
    EXPECT_EQ(std::ssize(writes), 5);
    expect_resonance(writes, TransferKind::write, true);
    TearDown();
  }
}

// A list of stripes is one request where they follow each other on a node.
TEST_P(ResonantWays, ListsAreAsLongAsAskedFor) {
  for (const std::int64_t segments : {5, 64}) {
    hints_.list_segments = segments;
    hints_.cb_buffer_size = 64 << 20;
    open();
    // As many stripes as fill a list of every node, and some.
    const FileRange range =
        dealt(kStripe / 2, 2 * (hints_.striping_factor * segments + 30) / world_size());
    const Log writes = logged([&] { write(range); });
    const Log reads = logged([&] { read(range); });
    for (const Log& log : {writes, reads})
      for (const auto& [node, requests] : log) {
        if (world_size() == 1 || world_size() == 16) continue;  // no agents, or several in turn
        EXPECT_EQ(longest_of(requests), segments * kStripe) << "node " << node;
      }
    TearDown();
  }
}

// Unasked, an agent that has the device copy at once what it has gathered keeps it in its cache.
TEST_P(ResonantWays, ListsThatNobodyAskedForFitTheCache) {
  hints_.cb_buffer_size = 64 << 20;
  open();
  const FileRange range = dealt(kStripe / 2, 2 * 4 * 70 / world_size());
  const Log writes = logged([&] { write(range); });
  const Log reads = logged([&] { read(range); });
  const bool one_node = file_->collective->peers.available();
  const bool gathers = GetParam() == TransportChoice::messages || !one_node;
  for (const Log& log : {writes, reads})
    for (const auto& [node, requests] : log) {
      if (world_size() == 1 || world_size() == 16) continue;  // no agents, or several in turn
      EXPECT_EQ(longest_of(requests), gathers ? 64 * kStripe : 512 << 10) << "node " << node;
    }
}

INSTANTIATE_TEST_SUITE_P(Transports, ResonantWays,
                         ::testing::Values(TransportChoice::messages, TransportChoice::shared));

TEST_F(Resonant, FilesThatEndInsideAStripeAndUnitsOfEverySize) {
  for (const std::int64_t unit : {64 << 10, 256 << 10, 1 << 20, 4 << 20})
    for (const int nodes : {4, 8, 16}) {
      if (world_size() > 4 && (nodes == 8 || unit == 256 << 10)) continue;
      hints_.striping_unit = unit;
      hints_.striping_factor = nodes;
      open();
      const std::int64_t segment = 5000;
      const std::int64_t times = 2 * unit / segment / world_size() + 3;
      const FileRange range = dealt(segment, times, 100);
      write(range);
      read(range);
      const std::int64_t pitch = segment + 100;
      expect_file(times * world_size() * pitch - 100,
                  [&](std::int64_t at) { return at % pitch < segment; });
      TearDown();
    }
}

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
