// ranks: 1 2 3 4 5
// Accesses that take many steps of the arena: windows larger than a slab, every way of dealing out.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "exec/collective.hpp"
#include "mpi/agree.hpp"
#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

constexpr std::int64_t kFileBytes = 5'000'001;

std::byte content(std::int64_t at) { return static_cast<std::byte>(at * 7 + at / 251); }

class Arenas : public ::testing::TestWithParam<TransportChoice> {
 protected:
  void SetUp() override {
    std::int64_t id = getpid();
    MPI_Bcast(&id, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    Hints hints;
    hints.strategy = "two-phase";
    hints.romio_cb_read = hints.romio_cb_write = Toggle::enable;
    hints.transport = GetParam();
    auto file =
        open_file(MPI_COMM_WORLD, "/dev/shm/tutti-arena-" + std::to_string(id),
                  {.read = true, .write = true, .create = true, .delete_on_close = true}, hints);
    ASSERT_TRUE(file.has_value());
    file_ = std::move(*file);
  }
  void TearDown() override { EXPECT_TRUE(close_file(std::move(file_)).has_value()); }

  // Rank r holds every world_size()-th run from run r on.
  static Pattern comb(std::int64_t run) {
    const std::int64_t period = run * world_size();
    return Pattern::repeat(kFileBytes / period, period, Pattern::run(run, run * world_rank()));
  }
  // Memory with a gap of one byte after every seven.
  static Pattern holey(std::int64_t bytes) {
    return Pattern::repeat(bytes / 7 + 1, 8, Pattern::run(7)).slice(0, bytes);
  }

  void set_contents(bool numbered, std::int64_t shift = 0) {
    std::vector<std::byte> all(static_cast<std::size_t>(kFileBytes));
    for (std::int64_t at = 0; numbered && at < kFileBytes; ++at)
      all[static_cast<std::size_t>(at)] = content(at + shift);
    if (world_rank() == 0) {
      ASSERT_TRUE(file_->device.write(0, all).has_value());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void transfer(Direction direction, const Pattern& stream, const Pattern& memory,
                std::vector<std::byte>& bytes) {
    const Access access{direction, {stream, 0, stream.size()}, {memory, bytes.data()}};
    const auto moved = transfer_collective(*file_, access, std::nullopt);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
    EXPECT_EQ(*moved, stream.size());
  }

  void check_read(const Pattern& stream, const Pattern& memory, std::int64_t shift = 0) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(memory.offset_of(memory.size() - 1) + 1),
                                 std::byte{0xab});
    auto expected = bytes;
    for (std::int64_t k = 0; k < stream.size(); ++k)
      expected[static_cast<std::size_t>(memory.offset_of(k))] =
          content(stream.offset_of(k) + shift);
    transfer(Direction::read, stream, memory, bytes);
    EXPECT_TRUE(bytes == expected);
  }

  void check_write(const Pattern& stream, const Pattern& memory) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(memory.offset_of(memory.size() - 1) + 1),
                                 std::byte{0xab});
    for (std::int64_t k = 0; k < stream.size(); ++k)
      bytes[static_cast<std::size_t>(memory.offset_of(k))] = content(stream.offset_of(k));
    transfer(Direction::write, stream, memory, bytes);
    std::vector<std::byte> file(static_cast<std::size_t>(kFileBytes));
    ASSERT_TRUE(file_->device.read(0, file).has_value());
    std::int64_t wrong = 0;
    for (std::int64_t k = 0; k < stream.size(); ++k)
      wrong += file[static_cast<std::size_t>(stream.offset_of(k))] != content(stream.offset_of(k));
    EXPECT_EQ(wrong, 0);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  std::unique_ptr<OpenFile> file_;
};

TEST_P(Arenas, InterleavedRunsOfAllSizes) {
  for (const std::int64_t run : {4, 7, 64, 2000, 100'000}) {
    SCOPED_TRACE(run);
    const Pattern stream = comb(run);
    set_contents(false);
    check_write(stream, Pattern::run(stream.size()));
    set_contents(true);
    check_read(stream, Pattern::run(stream.size()));
    check_read(stream, holey(stream.size()));
    set_contents(false);
    check_write(stream, holey(stream.size()));
  }
}

TEST_P(Arenas, WhatIsReadAgainMayHaveChanged) {
  const Pattern streams[] = {comb(4), comb(600)};
  for (std::int64_t round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    // Now and then the file has been empty in between.
    if (round % 2 == 1 && world_rank() == 0) {
      ASSERT_EQ(truncate(file_->name.c_str(), 0), 0);
    }
    set_contents(true, round);
    for (const Pattern& stream : streams) {
      check_read(stream, Pattern::run(stream.size()), round);
      check_read(stream, holey(stream.size()), round);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_P(Arenas, ReadingAHoleLeavesItAHole) {
  // There was none when the ranks began to keep the file's pages.
  set_contents(true);
  for (int again = 0; again < 3; ++again) check_read(comb(7), Pattern::run(comb(7).size()));
  MPI_Barrier(MPI_COMM_WORLD);
  if (world_rank() == 0) {
    ASSERT_EQ(truncate(file_->name.c_str(), 0), 0);
    ASSERT_EQ(truncate(file_->name.c_str(), kFileBytes), 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (const std::int64_t run : {7, 7, 7, 600, 600, 600}) {
    const Pattern stream = comb(run);
    std::vector<std::byte> bytes(static_cast<std::size_t>(stream.size()), std::byte{0xab});
    transfer(Direction::read, stream, Pattern::run(stream.size()), bytes);
    EXPECT_EQ(std::count(bytes.begin(), bytes.end(), std::byte{0}), stream.size());
  }
  struct stat facts {};
  ASSERT_EQ(stat(file_->name.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_blocks, 0);
}

TEST_P(Arenas, EverybodyReadsEverything) {
  set_contents(true);
  check_read(Pattern::run(kFileBytes), Pattern::run(kFileBytes));
  check_read(Pattern::run(kFileBytes), holey(kFileBytes));
}

TEST_P(Arenas, EverybodyWritesEverything) {
  set_contents(false);
  check_write(Pattern::run(kFileBytes), Pattern::run(kFileBytes));
}

TEST_P(Arenas, MostOfTheFileIsNotAskedFor) {
  set_contents(true);
  const Pattern stream = Pattern::repeat(40, 125'000, Pattern::run(10, 11 * world_rank()));
  check_read(stream, Pattern::run(stream.size()));
  check_write(stream, Pattern::run(stream.size()));
}

INSTANTIATE_TEST_SUITE_P(Transports, Arenas,
                         ::testing::Values(TransportChoice::shared, TransportChoice::arena,
                                           TransportChoice::messages));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
