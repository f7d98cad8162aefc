// ranks: 1 2 3 4 6 8 16
// Whatever is accessed: each I/O node's requests come from one process, or from several in turn, in
// ascending order; judged by the striped device's own log of requests.
#include <algorithm>
#include <cstdio>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "support/resonant_file.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

constexpr int kCases = 24;
constexpr std::int64_t kMostBytes = 4 << 20;  // of the file

// The same on every rank.
struct Draw {
  std::int64_t segment = 0;
  std::int64_t gap = 0;
  std::int64_t times = 0;
  std::int64_t unit = 0;
  std::int32_t nodes = 0;
  std::int64_t buffer = 0;
  TransportChoice transport = TransportChoice::automatic;

  std::int64_t pitch() const { return segment + gap; }
  std::int64_t file_bytes() const { return times * world_size() * pitch() - gap; }
  std::string text() const {
    return "segment " + std::to_string(segment) + ", gap " + std::to_string(gap) + ", times " +
           std::to_string(times) + ", unit " + std::to_string(unit) + ", nodes " +
           std::to_string(nodes) + ", buffer " + std::to_string(buffer) + ", transport " +
           std::to_string(static_cast<int>(transport));
  }

  // The I/O nodes with a byte that some rank asks for.
  std::set<std::int32_t> nodes_asked() const {
    std::set<std::int32_t> asked;
    const std::int64_t segments = times * world_size();
    for (std::int64_t i = 0; i < segments; ++i)
      for (std::int64_t stripe = i * pitch() / unit; stripe * unit < i * pitch() + segment;
           ++stripe)
        asked.insert(static_cast<std::int32_t>(stripe % nodes));
    return asked;
  }
};

Draw drawn(std::mt19937_64& random, int number) {
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  constexpr std::int32_t kNodes[] = {4, 8, 3, 16, 2, 16, 5, 8};
  constexpr std::int64_t kUnits[] = {4096, 16 << 10, 64 << 10};
  constexpr TransportChoice kTransports[] = {TransportChoice::automatic, TransportChoice::messages,
                                             TransportChoice::shared};
  Draw draw;
  draw.nodes = kNodes[number % 8];
  draw.unit = kUnits[below(3)];
  draw.transport = kTransports[below(3)];
  draw.buffer = below(2) == 0 ? 1 << 20 : 16 << 20;
  const std::int64_t longest[] = {200, draw.unit, 3 * draw.unit};
  draw.segment = 1 + below(longest[below(3)]);
  const std::int64_t widest[] = {1, 100, draw.segment, 3 * draw.unit};
  draw.gap = below(widest[below(4)]);
  // Every fourth case leaves most nodes alone; the others keep all of them busy where they can.
  const bool few = number % 4 == 3;
  const std::int64_t span = few ? 2 * draw.unit : 3 * draw.unit * draw.nodes;
  draw.times = std::max<std::int64_t>(
      2, std::min(span + below(span), kMostBytes) / (world_size() * draw.pitch()));
  return draw;
}

// One process asks a node, or some of several that take turns, each time for higher offsets.
void expect_order(const Log& log, TransferKind kind, std::ptrdiff_t nodes_asked) {
  const std::ptrdiff_t share = world_size() / nodes_asked;
  for (const auto& [node, requests] : log) {
    std::set<std::int64_t> processes;
    std::int64_t reached = 0;
    for (const RequestLogEntry& request : requests) {
      if (request.kind != kind) continue;
      processes.insert(request.process);
      EXPECT_GE(request.range.offset, reached) << "node " << node;
      reached = request.range.end();
    }
    EXPECT_LE(std::ssize(processes), share >= 4 ? share : 1) << "node " << node;
  }
}

std::set<std::int32_t> nodes_of(const Log& log, TransferKind kind) {
  std::set<std::int32_t> nodes;
  for (const auto& [node, requests] : log)
    if (std::ranges::any_of(requests, [&](const auto& each) { return each.kind == kind; }))
      nodes.insert(node);
  return nodes;
}

// A rank alone is no agent and may bridge gaps between its pieces.
void expect_asked(const std::set<std::int32_t>& found, const std::set<std::int32_t>& asked) {
  if (world_size() > 1)
    EXPECT_EQ(found, asked);
  else
    EXPECT_TRUE(std::ranges::includes(found, asked));
}

TEST_F(Resonant, NodesSeeOneProcessInAscendingOrderWhateverIsAccessed) {
  const std::uint64_t seed = test_seed("resonant requests", 50'500, world_rank() == 0);
  std::mt19937_64 random(seed);
  int all_busy = 0;
  int some_idle = 0;
  for (int number = 0; number < kCases && !HasFailure(); ++number) {
    const Draw draw = drawn(random, number);
    SCOPED_TRACE("case " + std::to_string(number) + ": " + draw.text());
    hints_.striping_unit = draw.unit;
    hints_.striping_factor = draw.nodes;
    hints_.cb_buffer_size = draw.buffer;
    hints_.transport = draw.transport;
    open();
    const std::set<std::int32_t> asked = draw.nodes_asked();
    (std::ssize(asked) == draw.nodes ? all_busy : some_idle) += draw.nodes >= 8 ? 1 : 0;
    const FileRange range = dealt(draw.segment, draw.times, draw.gap);

    const Log writes = logged([&] { write(range); });
    expect_asked(nodes_of(writes, TransferKind::write), asked);
    // What a stripe keeps between the pieces is read before, in the same order.
    for (const TransferKind kind : {TransferKind::write, TransferKind::read})
      expect_order(writes, kind, std::ssize(asked));
    const Log reads = logged([&] { read(range); });
    expect_asked(nodes_of(reads, TransferKind::read), asked);
    EXPECT_TRUE(nodes_of(reads, TransferKind::write).empty());
    expect_order(reads, TransferKind::read, std::ssize(asked));
    expect_file(draw.file_bytes(),
                [&](std::int64_t at) { return at % draw.pitch() < draw.segment; });
    TearDown();
  }
  if (HasFailure()) return;
  EXPECT_GT(all_busy, 0) << "8 or 16 nodes, all of them asked";
  EXPECT_GT(some_idle, 0) << "8 or 16 nodes, some of them left alone";
}

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
