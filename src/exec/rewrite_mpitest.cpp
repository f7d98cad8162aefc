// ranks: 1 3 4
// Writing the same place of a file again and again, while the file changes in between: bytes may go
// into its pages without a write, and nobody must notice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/collective.hpp"
#include "exec/collective_state.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

constexpr std::int64_t kRun = 40;
constexpr std::int64_t kRuns = 30'000;

class Rewrite : public ::testing::TestWithParam<TransportChoice> {
 protected:
  void SetUp() override {
    Hints hints;
    hints.strategy = "two-phase";
    hints.romio_cb_write = hints.romio_cb_read = Toggle::enable;
    hints.transport = GetParam();
    auto file = open_file(MPI_COMM_WORLD, shared_.path(),
                          {.read = true, .write = true, .create = true}, hints);
    ASSERT_TRUE(file.has_value());
    file_ = std::move(*file);
  }
  void TearDown() override { EXPECT_TRUE(close_file(std::move(file_)).has_value()); }

  static std::int64_t file_bytes() { return kRun * kRuns * world_size(); }
  static std::byte value(std::int64_t at, int round) {
    return static_cast<std::byte>(at * 7 + at / 251 + round * 13);
  }

  // All ranks' runs in turn, from memory with `gap` bytes behind each, and then what the file
  // holds.
  void write(int round, std::int64_t gap = 0) {
    const Pattern stream =
        Pattern::repeat(kRuns, kRun * world_size(), Pattern::run(kRun, kRun * world_rank()));
    const Pattern memory = gap == 0 ? Pattern::run(stream.size())
                                    : Pattern::repeat(kRuns, kRun + gap, Pattern::run(kRun));
    std::vector<std::byte> bytes(static_cast<std::size_t>(kRuns * (kRun + gap)));
    for (std::int64_t run = 0; run < kRuns; ++run)
      for (std::int64_t i = 0; i < kRun; ++i)
        bytes[static_cast<std::size_t>(run * (kRun + gap) + i)] =
            value((run * world_size() + world_rank()) * kRun + i, round);
    const Access access{Direction::write, {stream, 0, stream.size()}, {memory, bytes.data()}};
    const auto moved = transfer_collective(*file_, access, std::nullopt);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
    EXPECT_EQ(*moved, stream.size());
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(*file_->device->size(), file_bytes());
    std::vector<std::byte> found(static_cast<std::size_t>(file_bytes()));
    ASSERT_EQ(*file_->device.read(0, found), file_bytes());
    std::int64_t wrong = 0;
    for (std::int64_t at = 0; at < file_bytes(); ++at)
      wrong += found[static_cast<std::size_t>(at)] != value(at, round);
    EXPECT_EQ(wrong, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  template <class Change>
  void by_rank_0(const Change& change) {
    if (world_rank() == 0) change();
    MPI_Barrier(MPI_COMM_WORLD);
  }

  test::SharedFile shared_{"rewrite"};
  std::unique_ptr<OpenFile> file_;
};

TEST_P(Rewrite, TheFileIsCutShortInBetween) {
  int round = 0;
  for (; round < 4; ++round) write(round);
  for (const std::int64_t missing :
       {std::int64_t{1}, std::int64_t{4000}, file_bytes() / 2 + 5, file_bytes()}) {
    by_rank_0([&] { ASSERT_EQ(truncate(shared_.c_str(), file_bytes() - missing), 0); });
    for (int again = 0; again < 3; ++again) write(round++);
  }
}

TEST_P(Rewrite, TheFileHasHoles) {
  int round = 0;
  for (; round < 4; ++round) write(round);
  by_rank_0([&] {
    const int descriptor = ::open(shared_.c_str(), O_RDWR);
    ASSERT_EQ(
        fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 8192, file_bytes() / 2),
        0);
    close(descriptor);
  });
  for (int again = 0; again < 3; ++again) write(round++);
}

TEST_P(Rewrite, BothWaysToOwnersAreTried) {
  write(0);  // makes the state
  const CollectiveState& state = *file_->collective;
  const bool both = world_size() > 1 && GetParam() == TransportChoice::automatic &&
                    state.arena.available() && state.peers.available();
  constexpr int kCalls = 12;
  for (const std::int64_t gap : {0, 8}) {
    const std::int64_t before = file_->counters.arena_calls;
    for (int round = 0; round < kCalls; ++round) write(round, gap);
    const std::int64_t by_arena = file_->counters.arena_calls - before;
    if (both) {
      EXPECT_GT(by_arena, 0) << gap;
      EXPECT_LT(by_arena, kCalls) << gap;
    } else {
      EXPECT_TRUE(by_arena == 0 || by_arena == kCalls) << by_arena;
    }
  }
}

// A rank that would go another way than rank 0 follows it.
TEST_P(Rewrite, RanksHaveFoundOutOppositeThings) {
  write(0);  // makes the state
  VotedWays& carrying = file_->collective->carrying;
  const bool arena_wins = world_rank() % 2 == 1;
  for (int kind = 0; kind < VotedWays::kKinds; ++kind)
    for (int turn = 0; turn < 8; ++turn)
      carrying.went(kind, turn % 2, turn % 2 == arena_wins ? 1 : 9);
  for (int round = 0; round < 12; ++round) write(round, round % 3 == 0 ? 8 : 0);
  std::int64_t by_arena = file_->counters.arena_calls;
  std::int64_t of_rank_0 = by_arena;
  MPI_Bcast(&of_rank_0, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  EXPECT_EQ(by_arena, of_rank_0);
}

TEST_P(Rewrite, TheFileGetsItsTimeFromEveryCall) {
  for (int round = 0; round < 6; ++round) {
    by_rank_0([&] {
      const timespec long_ago[2] = {{1000, 0}, {1000, 0}};
      ASSERT_EQ(utimensat(AT_FDCWD, shared_.c_str(), long_ago, 0), 0);
    });
    write(round);
    struct stat facts {};
    ASSERT_EQ(stat(shared_.c_str(), &facts), 0);
    EXPECT_GT(facts.st_mtime, 1000) << round;
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, Rewrite,
                         ::testing::Values(TransportChoice::automatic, TransportChoice::shared,
                                           TransportChoice::arena, TransportChoice::messages));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
