// ranks: 1 2 3 4 6 16
// The variations of resonant I/O (ranks in turn, several agents, reading ahead), plan sizes, and
// layouts that are strange.
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

// Collective. The group of a process where ranks go two at a time.
std::function<std::ptrdiff_t(std::int64_t)> groups_of_two() {
  const std::int64_t mine = getpid();
  std::vector<std::int64_t> pids(static_cast<std::size_t>(world_size()));
  MPI_Allgather(&mine, 1, MPI_INT64_T, pids.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  return [pids](std::int64_t pid) {
    return (std::find(pids.begin(), pids.end(), pid) - pids.begin()) / 2;
  };
}

// Every rank's data below the next one's: nothing is exchanged, and of ranks that share a node the
// higher one's requests come later.
TEST_F(Resonant, RanksInARowGoOneAfterTheOther) {
  hints_.striping_factor = 2;
  open();
  // Each rank asks both nodes: groups of two.
  const FileRange range = in_a_row(4 * kStripe);
  const auto group = groups_of_two();
  for (int repetition = 0; repetition < 3; ++repetition) {
    const Log writes = logged([&] { write(range); });
    const Log reads = logged([&] { read(range); });
    for (const Log& log : {writes, reads})
      for (const auto& [node, requests] : log) {
        EXPECT_EQ(std::ssize(requests), world_size()) << "each its own, node " << node;
        for (std::size_t i = 1; i < requests.size(); ++i)
          EXPECT_GE(group(requests[i].process), group(requests[i - 1].process)) << "node " << node;
      }
  }
  EXPECT_EQ(file_->counters.bytes_pulled, 0);
}

// Sixteen processes, two nodes, more data than one round takes: several agents, in turn.
TEST_F(Resonant, SeveralAgentsOfANodeKeepTheOrder) {
  hints_.striping_factor = 2;
  hints_.cb_buffer_size = 8 * kStripe;
  open();
  const FileRange range = dealt(1024, (8 << 20) / 1024 / world_size());
  const Log writes = logged([&] { write(range); });
  const Log reads = logged([&] { read(range); });
  for (const Log& log : {writes, reads})
    for (const auto& [node, requests] : log) {
      std::set<std::int64_t> processes;
      std::int64_t reached = 0;
      for (const RequestLogEntry& request : requests) {
        processes.insert(request.process);
        EXPECT_EQ(request.range.offset, reached) << "node " << node;
        reached = request.range.end();
      }
      EXPECT_EQ(std::ssize(processes), world_size() >= 8 ? world_size() / 2 : 1);
    }
}

// Sparse files: only a few bytes of each stripe row exist.
TEST_F(Resonant, PlansDoNotGrowWithTheFile) {
  open();
  std::set<std::int64_t> sizes;
  for (const std::int64_t gib : {1, 64}) {
    const std::int64_t pitch = (gib << 30) / 64 / world_size();
    write(dealt(100, 64, pitch - 100));
    read(dealt(100, 64, pitch - 100));
    sizes.insert(file_->counters.plan_bytes);
  }
  EXPECT_EQ(sizes.size(), 1U);
}

// Agents only read ahead; then every rank reads for itself.
TEST_F(Resonant, ReadsAheadWhereServersCache) {
  hints_.cb_buffer_size = 1 << 20;
  for (const std::int64_t segment : {1000, 96 << 10}) {
    open();
    restate()->facts = [](DeviceFacts& facts) { facts.server_cache = true; };
    const FileRange range = dealt(segment, (3 << 20) / segment / world_size());
    write(range);
    const Log reads = logged([&] { read(range); });
    const bool ahead = world_size() > 1 && world_size() < 16;  // not in turns
    if (ahead) {
      std::int64_t bytes = 0;
      for (const auto& [node, requests] : reads)
        for (const RequestLogEntry& request : requests) bytes += request.range.bytes;
      const std::int64_t asked = range.bytes * world_size();
      EXPECT_GT(bytes, asked) << "what others need was asked for twice";
      EXPECT_LE(bytes, (1 + world_size()) * asked) << "ranks may read what lies between pieces";
      EXPECT_EQ(file_->counters.messages_sent, 0);
    }
    // Beyond the end of the file there is nothing, for nobody.
    FileRange beyond = dealt(segment, 2 * ((3 << 20) / segment / world_size()));
    std::vector<std::byte> memory(static_cast<std::size_t>(beyond.bytes));
    const auto moved = transfer_collective(
        *file_, {Direction::read, beyond, {Pattern::run(beyond.bytes), memory.data()}},
        std::nullopt);
    ASSERT_TRUE(moved.has_value());
    EXPECT_EQ(*moved, range.bytes);
    TearDown();
  }
}

// All that a node holds is asked for by its agent, ascending, before anybody reads directly.
TEST_F(Resonant, AgentsAskFirstWhereServersCache) {
  open();
  restate()->facts = [](DeviceFacts& facts) {
    facts.server_cache = true;
    facts.asynchronous = true;
  };
  const std::int64_t times = (2 << 20) / 1000 / world_size();
  const FileRange range = dealt(1000, times);
  const std::int64_t file_bytes = 1000 * times * world_size();
  write(range);
  const Log reads = logged([&] { read(range); });
  if (world_size() == 1 || world_size() == 16) return;  // no agents, or several in turn
  ASSERT_EQ(reads.size(), 4U);
  std::set<std::int64_t> agents;
  for (const auto& [node, requests] : reads) {
    const std::int64_t agent = requests.front().process;
    agents.insert(agent);
    std::int64_t reached = 0;
    std::size_t ahead = 0;
    for (; ahead < requests.size() && requests[ahead].process == agent; ++ahead) {
      EXPECT_EQ(requests[ahead].range.offset, reached) << "node " << node;
      reached = requests[ahead].range.end();
    }
    std::int64_t held = 0;
    for (std::int64_t at = node * kStripe; at < file_bytes; at += 4 * kStripe)
      held += std::min(kStripe, file_bytes - at);
    EXPECT_EQ(reached, held) << "node " << node;
    EXPECT_LT(ahead, requests.size()) << "the others read directly, node " << node;
    for (std::size_t i = ahead; i < requests.size(); ++i)
      EXPECT_NE(requests[i].process, agent) << "node " << node;
  }
  EXPECT_EQ(std::ssize(agents), std::min(world_size(), 4));
}

// Requests are issued and not waited for before the next group goes, a delay later.
TEST_F(Resonant, TurnsAlsoWhereStorageIsNotWaitedFor) {
  hints_.striping_factor = 2;
  hints_.delay_us = 20'000;
  open();
  restate()->facts = [](DeviceFacts& facts) { facts.asynchronous = true; };
  const FileRange range = in_a_row(2 * kStripe + 12);
  write(range);
  const auto group = groups_of_two();
  for (const TransferKind kind : {TransferKind::write, TransferKind::read}) {
    double took = 0;
    const Log log = logged([&] {
      const double began = MPI_Wtime();
      kind == TransferKind::write ? write(range) : read(range);
      took = MPI_Wtime() - began;
    });
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    const int groups = (world_size() + 1) / 2;
    EXPECT_GE(took, (groups - 1) * 20e-3);
    for (const auto& [node, requests] : log)
      for (std::size_t i = 1; i < requests.size(); ++i)
        EXPECT_GE(group(requests[i].process), group(requests[i - 1].process)) << "node " << node;
  }
  expect_file(range.bytes * world_size(), [](std::int64_t) { return true; });
}

// Whatever the device says about stripes, and whether it says the same a moment later.
TEST_F(Resonant, LayoutsThatAreWrongOrChange) {
  hints_.cb_buffer_size = 100'000;
  const StripeLayout said[] = {{0, 4, 0},   {-1, 4, 0},   {100, 0, 0},
                               {100, 4, 3}, {4096, 5, 1}, {std::int64_t{1} << 62, 3, 0}};
  for (const StripeLayout& first : said) {
    open();
    const auto statement = restate();
    for (const StripeLayout& layout : {first, StripeLayout{300, 7, 2}, StripeLayout{}}) {
      statement->layout = [&](StripeLayout& told) { told = layout; };
      const FileRange range = dealt(777 + layout.io_nodes, 100);
      write(range);
      read(range);
    }
    TearDown();
  }
  // Different ones on different ranks.
  open();
  restate()->layout = [](StripeLayout& told) { told = {1000 * (1 + world_rank()), 4, 0}; };
  write(dealt(500, 100));
  read(dealt(500, 100));
}

// Storage that has to be asked for each range, and answers something else every time: another unit,
// other nodes, nothing at all, and on some ranks not the same as on others.
TEST_F(Resonant, LayoutsThatChangeFromCallToCall) {
  hints_.cb_buffer_size = 100'000;
  open();
  const auto statement = restate();
  statement->layout = [](StripeLayout& told) {
    told = layout_by_table(PlacementTable::make({}).value_or(nullptr), 4096, 4);
  };
  std::int32_t asked = 0;
  statement->layout_for = [&](Extent range) {
    ++asked;
    if (asked % 4 == 0) return StripeLayout{};
    PlacementPart part;
    part.block_bytes = 1000 * asked + (asked % 3 == 0 ? world_rank() : 0);
    part.object_blocks = 1;
    part.range = {0, range.end()};
    for (std::int64_t at = 0; at < range.end(); at += part.block_bytes)
      part.nodes.push_back(static_cast<std::int32_t>(part.nodes.size()) * asked % 5);
    auto table = PlacementTable::make({part});
    return table ? layout_by_table(std::move(*table)) : StripeLayout{};
  };
  for (int call = 0; call < 12; ++call) {
    const auto misses = file_->counters.plan_misses;
    // Each at another place, so that no earlier plan fits.
    const FileRange range = dealt(700 + call, 60);
    write(range);
    read(range);
    EXPECT_EQ(file_->counters.plan_misses, misses + 2);
    // An earlier plan has the layout of its time; the bytes are right all the same.
    write(range);
    read(range);
    EXPECT_EQ(file_->counters.plan_misses, misses + 2);
  }
  EXPECT_EQ(asked, 24) << "once for each plan";
}

// Objects wherever it pleased the storage, as Ceph does it; the table ends inside the file.
TEST_F(Resonant, PlacementsByTable) {
  hints_.cb_buffer_size = 50'000;
  PlacementPart part;
  part.block_bytes = 4096;
  part.object_blocks = 2;
  part.range = {0, 60 * 8192};
  for (std::int32_t i = 0; i < 60; ++i) part.nodes.push_back(i * i % 7);
  const StripeLayout layout = layout_by_table(*PlacementTable::make({part}));
  open();
  restate()->layout = [&](StripeLayout& told) { told = layout; };
  for (const std::int64_t segment : {100, 5000, 30'000}) {
    const FileRange range = dealt(segment, 600'000 / segment / world_size(), segment / 3);
    write(range);
    read(range);
  }
  EXPECT_GT(file_->counters.plan_bytes, 0);
}

// Where storage takes requests without being waited for, a list is read while the one before it is
// dealt out; where it also answers stripe by stripe only, the lists are parts of the file.
TEST_F(Resonant, ListsAreReadWhileTheOnesBeforeAreDealtOut) {
  for (const bool single_reads : {false, true}) {
    hints_.transport = TransportChoice::shared;
    hints_.cb_buffer_size = 4 << 20;
    open();
    restate()->facts = [&](DeviceFacts& facts) {
      facts.asynchronous = true;
      facts.single_reads = single_reads;
    };
    for (const std::int64_t segment : {1000, 40'000, 300'000}) {
      const FileRange range = dealt(segment, (20 << 20) / segment / world_size(), segment / 3);
      write(range);
      read(range);
    }
    TearDown();
  }
}

// What a file system says and nobody understands: one line of one rank, and the file is used.
TEST_F(Resonant, AStripingThatIsNotUnderstoodIsSaidOnce) {
  open();
  const auto statement = restate();
  statement->layout = [](StripeLayout& told) { told = {}; };
  statement->layout_problem = "its striping contradicts itself";
  testing::internal::CaptureStderr();
  say_layout_problem(*file_);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), world_rank() == 0 ? 1 : 0) << said;
  EXPECT_EQ(said.find("contradicts itself") != std::string::npos, world_rank() == 0) << said;
  hints_.strategy = file_->hints.strategy = "auto";
  write(dealt(500, 100));
  read(dealt(500, 100));
}

// The same of a part of the file that was asked for later.
TEST_F(Resonant, AStripingThatIsNotUnderstoodLaterIsSaidOnce) {
  for (const std::string strategy : {"resonant", "two-phase"}) {
    open();
    hints_.strategy = file_->hints.strategy = strategy;
    const auto statement = restate();
    statement->layout = [](StripeLayout& told) {
      told = layout_by_table(PlacementTable::make({}).value_or(nullptr), 4096, 4);
    };
    statement->layout_for = [](Extent) { return StripeLayout{}; };
    statement->layout_problem = "its striping contradicts itself";
    testing::internal::CaptureStderr();
    for (int call = 0; call < 3; ++call) {
      write(dealt(1000 + call, 50));
      read(dealt(1000 + call, 50));
    }
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), world_rank() == 0 ? 1 : 0) << said;
    EXPECT_EQ(said.find("contradicts itself") != std::string::npos, world_rank() == 0) << said;
    TearDown();
  }
}

// The unit of stripes without their nodes, as a mounted CephFS says it.
TEST_F(Resonant, StripesWithoutNodesAreServedByTwoPhase) {
  open();
  restate()->layout = [](StripeLayout& told) {
    told = layout_by_table(PlacementTable::make({}).value_or(nullptr), 4096, 4);
  };
  if (world_rank() == 0) testing::internal::CaptureStderr();
  for (int call = 0; call < 3; ++call) {
    write(dealt(1000 + call, 50));
    read(dealt(1000 + call, 50));
  }
  if (world_rank() == 0) {
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("not striped"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

// Without striping the call is served all the same.
TEST_F(Resonant, FilesWithoutStripesAreServedByTwoPhase) {
  auto file =
      open_file(MPI_COMM_WORLD, path_,
                {.read = true, .write = true, .create = true, .delete_on_close = true}, hints_);
  ASSERT_TRUE(file.has_value());
  file_ = std::move(*file);
  if (world_rank() == 0) testing::internal::CaptureStderr();
  for (int call = 0; call < 3; ++call) {
    write(dealt(1000, 50));
    read(dealt(1000, 50));
  }
  if (world_rank() == 0) {
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("not striped"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
