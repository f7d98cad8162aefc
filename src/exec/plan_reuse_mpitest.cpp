// The plan cache under hostile use: no wrong byte, no hang, and reuse where it is due.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <map>

#include "exec/collective.hpp"
#include "exec/collective_state.hpp"
#include "mpi/agree.hpp"
#include "pattern/shapes.hpp"
#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

class PlanReuse : public ::testing::TestWithParam<TransportChoice> {
 protected:
  void SetUp() override {
    Hints hints;
    hints.strategy = "two-phase";
    hints.transport = GetParam();
    std::int64_t id = getpid();
    MPI_Bcast(&id, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    auto file =
        open_file(MPI_COMM_WORLD, "/dev/shm/tutti-reuse-" + std::to_string(id),
                  {.read = true, .write = true, .create = true, .delete_on_close = true}, hints);
    ASSERT_TRUE(file.has_value());
    file_ = std::move(*file);
  }
  void TearDown() override { EXPECT_TRUE(close_file(std::move(file_)).has_value()); }

  // The byte that `rank` writes to `offset` in call `call`.
  static std::byte value(int rank, std::int64_t offset, int call) {
    return static_cast<std::byte>(offset * 7 + rank * 31 + call * 101 + 1);
  }

  // Collective: this rank writes `ranges[rank]`; everybody checks the whole file afterwards.
  void write_and_check(const std::vector<FileRange>& ranges) {
    ++call_;
    for (int r = 0; r < world_size(); ++r) {
      const FileRange& range = ranges[static_cast<std::size_t>(r)];
      for (std::int64_t k = 0; k < range.bytes; ++k) {
        const std::int64_t at = range.stream.offset_of(range.first + k);
        expected_[at] = value(r, at, call_);
      }
    }
    const FileRange& mine = ranges[static_cast<std::size_t>(world_rank())];
    std::vector<std::byte> memory(static_cast<std::size_t>(mine.bytes) + 1);
    for (std::int64_t k = 0; k < mine.bytes; ++k)
      memory[static_cast<std::size_t>(k)] =
          value(world_rank(), mine.stream.offset_of(mine.first + k), call_);
    const Access access{Direction::write, mine, {Pattern::run(mine.bytes), memory.data()}};
    const auto moved = transfer_collective(*file_, access, std::nullopt);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;

    const std::int64_t size = expected_.empty() ? 0 : expected_.rbegin()->first + 1;
    std::vector<std::byte> contents(static_cast<std::size_t>(size));
    const auto got = file_->device.read(0, contents);
    bool same = *got == size;
    for (std::int64_t at = 0; at < size && same; ++at) {
      const auto known = expected_.find(at);
      same = contents[static_cast<std::size_t>(at)] ==
             (known == expected_.end() ? std::byte{0} : known->second);
    }
    EXPECT_TRUE(same) << "call " << call_;
    const Status all = agree(MPI_COMM_WORLD, same ? std::nullopt : std::optional(Error{}));
    ASSERT_TRUE(all.has_value());
  }

  std::vector<FileRange> cyclic(std::int64_t elements, std::int64_t block,
                                std::int64_t step) const {
    std::vector<FileRange> ranges;
    for (int r = 0; r < world_size(); ++r) {
      const Pattern tile = block_cyclic({world_size(), r, elements * world_size(), block, 4});
      const Pattern stream = Pattern::tiled(tile, elements * world_size() * 4);
      ranges.push_back({stream, step * tile.size(), tile.size()});
    }
    return ranges;
  }

  std::unique_ptr<OpenFile> file_;
  std::map<std::int64_t, std::byte> expected_;
  int call_ = 0;
};

TEST_P(PlanReuse, ACheckpointLoopInspectsOnce) {
  for (std::int64_t step = 0; step < 10; ++step) write_and_check(cyclic(60, 3, step));
  EXPECT_EQ(file_->counters.plan_misses, 1);
  EXPECT_EQ(file_->counters.plan_hits, 9);
  const std::int64_t sent = file_->counters.descriptors_sent;
  write_and_check(cyclic(60, 3, 11));
  EXPECT_EQ(file_->counters.descriptors_sent, sent);
}

TEST_P(PlanReuse, AViewDisplacedAnewIsTheSamePlan) {
  for (std::int64_t step = 0; step < 5; ++step) {
    auto ranges = cyclic(40, 1, 0);
    for (FileRange& range : ranges) range.stream = range.stream.shifted(step * 5000);
    write_and_check(ranges);
  }
  EXPECT_EQ(file_->counters.plan_hits, 4);
}

TEST_P(PlanReuse, RanksThatAdvanceDifferentlyGetANewPlan) {
  for (std::int64_t step = 0; step < 6; ++step) {
    auto ranges = cyclic(30, 2, 0);
    for (std::size_t r = 0; r < ranges.size(); ++r)
      ranges[r].first = step * (static_cast<std::int64_t>(r) % 2 + 1) * ranges[r].bytes;
    write_and_check(ranges);
  }
  EXPECT_EQ(file_->counters.plan_hits + file_->counters.plan_misses, 6);
}

TEST_P(PlanReuse, PatternsThatAgreeOnOneRankOnlyAreToldApart) {
  // Rank 0 has the same range in both; the others do not.
  for (int i = 0; i < 8; ++i) {
    std::vector<FileRange> ranges;
    for (int r = 0; r < world_size(); ++r) {
      const std::int64_t width = r == 0 ? 4 : 4 + i % 2 * 3;
      const Pattern stream = Pattern::tiled(Pattern::run(width), 16 * world_size()).shifted(16 * r);
      ranges.push_back({stream, 0, width * 20});
    }
    write_and_check(ranges);
  }
}

TEST_P(PlanReuse, EmptyRanksTakeTurns) {
  for (int i = 0; i < 12; ++i) {
    auto ranges = cyclic(24, 1, i);
    ranges[static_cast<std::size_t>(i % world_size())].bytes = 0;
    write_and_check(ranges);
  }
}

TEST_P(PlanReuse, EvictionUnderPressureIsTheSameEverywhere) {
  for (int round = 0; round < 3; ++round)
    for (std::int64_t shape = 1; shape <= 45; ++shape)
      write_and_check(cyclic(shape, 1 + shape % 5, 0));
  EXPECT_GT(file_->counters.plan_evictions, 0);
  EXPECT_LE(file_->collective->inspector.cache.size(), 32U);
}

TEST_P(PlanReuse, ChangedHintsForgetPlans) {
  write_and_check(cyclic(30, 2, 0));
  Hints hints = file_->hints;
  hints.cb_nodes = 1;
  change_hints(*file_, hints);
  write_and_check(cyclic(30, 2, 1));
  EXPECT_EQ(file_->counters.plan_misses, 2);
}

INSTANTIATE_TEST_SUITE_P(Transports, PlanReuse,
                         ::testing::Values(TransportChoice::shared, TransportChoice::arena,
                                           TransportChoice::messages));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
