// ranks: 1 3 4
// Reading the same place of a file again and again, so that ranks keep its pages in view and try
// every way of getting at them, while somebody else changes the file in between.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "exec/collective.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

constexpr std::int64_t kPieces = 30'000;  // of every rank
constexpr int kRounds = 14;               // enough to try every way of filling a slot

struct Shape {
  const char* strategy;
  std::int64_t piece;   // bytes
  std::int64_t gap;     // in memory, behind each piece
  bool in_turn = true;  // ranks' pieces; otherwise all of one rank's lie together
};

void PrintTo(const Shape& shape, std::ostream* out) {
  *out << shape.strategy << ", pieces of " << shape.piece << ", gaps of " << shape.gap
       << (shape.in_turn ? "" : ", each rank's together");
}

class Reread : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    Hints hints;
    hints.strategy = GetParam().strategy;
    auto file = open_file(MPI_COMM_WORLD, shared_.path(),
                          {.read = true, .write = true, .create = true}, hints);
    ASSERT_TRUE(file.has_value());
    file_ = std::move(*file);
  }
  void TearDown() override { EXPECT_TRUE(close_file(std::move(file_)).has_value()); }

  static std::int64_t file_bytes() { return GetParam().piece * kPieces * world_size(); }
  static std::byte value(std::int64_t at, int round) {
    return static_cast<std::byte>(at * 7 + at / 251 + round * 13);
  }

  // By another way than the file's, as another program would.
  void change_file(int round, std::int64_t bytes) {
    if (world_rank() == 0) {
      std::vector<std::byte> content(static_cast<std::size_t>(bytes));
      for (std::int64_t at = 0; at < bytes; ++at)
        content[static_cast<std::size_t>(at)] = value(at, round);
      const int descriptor = ::open(shared_.c_str(), O_RDWR);
      EXPECT_EQ(ftruncate(descriptor, bytes), 0);
      EXPECT_EQ(pwrite(descriptor, content.data(), content.size(), 0), bytes);
      close(descriptor);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // Reads this rank's pieces from byte `from` on; the file ends at `bytes`.
  void read(int round, std::int64_t bytes, std::int64_t from = 0) {
    const auto [strategy, piece, gap, in_turn] = GetParam();
    const Pattern stream = in_turn ? Pattern::repeat(kPieces, piece * world_size(),
                                                     Pattern::run(piece, piece * world_rank()))
                                   : Pattern::run(piece * kPieces, piece * kPieces * world_rank());
    const Pattern memory = gap == 0 ? Pattern::run(stream.size())
                                    : Pattern::repeat(kPieces, piece + gap, Pattern::run(piece));
    constexpr auto kUntouched = static_cast<std::byte>(0xa5);
    std::vector<std::byte> found(static_cast<std::size_t>((piece + gap) * kPieces), kUntouched);
    std::vector<std::byte> expected = found;
    std::int64_t there = 0;
    for (std::int64_t k = 0; k < kPieces; ++k) {
      const std::int64_t at = stream.offset_of(k * piece) + from;
      const std::int64_t bytes_there = std::clamp<std::int64_t>(bytes - at, 0, piece);
      for (std::int64_t i = 0; i < bytes_there; ++i)
        expected[static_cast<std::size_t>(k * (piece + gap) + i)] = value(at + i, round);
      there += bytes_there;
    }
    const auto moved = transfer_collective(
        *file_, {Direction::read, {stream.shifted(from), 0, stream.size()}, {memory, found.data()}},
        std::nullopt);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
    EXPECT_EQ(*moved, there);
    EXPECT_TRUE(found == expected) << "round " << round << ", " << bytes << " bytes there";
    MPI_Barrier(MPI_COMM_WORLD);
  }

  test::SharedFile shared_{"reread"};
  std::unique_ptr<OpenFile> file_;
};

TEST_P(Reread, TheFileHasOtherBytes) {
  for (int round = 0; round < kRounds; ++round) {
    change_file(round, file_bytes());
    read(round, file_bytes());
  }
}

// Twice at one place and then twice at another: the second time pages are kept there, and the plan
// is that of the first place.
TEST_P(Reread, PlacesInTurn) {
  for (int round = 0; round < 3; ++round) {
    change_file(round, 3 * file_bytes());
    for (const std::int64_t from : {std::int64_t{0}, 2 * file_bytes() - 4096, file_bytes() + 100})
      for (int again = 0; again < 3; ++again) read(round, 3 * file_bytes(), from);
  }
}

TEST_P(Reread, KeptPagesAreLookedAtByRanksThatGoAlone) {
  if (GetParam().strategy != std::string("auto")) GTEST_SKIP() << "ranks exchange bytes";
  change_file(0, file_bytes());
  read(0, file_bytes());
  const std::int64_t before = file_->counters.device_operations;
  read(0, file_bytes());
  EXPECT_GT(file_->counters.device_operations, before);  // which counts no other access alone
  file_->hints.romio_ds_read = Toggle::disable;
  const std::int64_t looked = file_->counters.device_operations;
  read(0, file_bytes());
  EXPECT_EQ(file_->counters.device_operations, looked);
}

TEST_P(Reread, TheFileIsCutAndGrowsAgain) {
  int round = 0;
  for (const std::int64_t missing : {std::int64_t{0}, std::int64_t{1}, std::int64_t{5000},
                                     file_bytes() / 2 + 3, file_bytes(), std::int64_t{0}}) {
    change_file(round, file_bytes() - missing);
    for (int again = 0; again < 4; ++again) read(round, file_bytes() - missing);
    ++round;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Reread,
                         ::testing::Values(Shape{"two-phase", 24, 0}, Shape{"two-phase", 24, 8},
                                           Shape{"two-phase", 72, 0}, Shape{"two-phase", 72, 8},
                                           Shape{"auto", 72, 0, false},
                                           Shape{"auto", 72, 8, false}));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
