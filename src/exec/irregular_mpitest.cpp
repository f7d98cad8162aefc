// ranks: 1 2 3 4 7
// Irregular patterns too large to be told to everybody: slices travel to their owners.
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "exec/collective.hpp"
#include "mpi/agree.hpp"
#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

// Every 8-byte slot of the file belongs to one random rank or, now and then, to nobody.
std::vector<std::vector<Extent>> deal(std::int64_t slots, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<Extent>> runs(static_cast<std::size_t>(world_size()));
  for (std::int64_t slot = 0; slot < slots; ++slot) {
    const auto to =
        random() % (static_cast<std::uint64_t>(world_size()) + (slot % 1000 == 0 ? 1 : 0));
    if (to < runs.size()) runs[to].push_back({slot * 8, 8});
  }
  return runs;
}

class Irregular : public ::testing::TestWithParam<TransportChoice> {};

TEST_P(Irregular, MillionsOfRandomPiecesAreWrittenAndReadBack) {
  constexpr std::int64_t kSlots = 400'000;
  Hints hints;
  hints.strategy = "two-phase";
  hints.transport = GetParam();
  hints.cb_buffer_size = 1 << 20;
  std::int64_t id = getpid();
  MPI_Bcast(&id, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  auto file =
      open_file(MPI_COMM_WORLD, "/dev/shm/tutti-irregular-" + std::to_string(id),
                {.read = true, .write = true, .create = true, .delete_on_close = true}, hints);
  ASSERT_TRUE(file.has_value());
  const auto runs = deal(kSlots, 42);
  const Pattern pattern = Pattern::tuples(runs[static_cast<std::size_t>(world_rank())]);
  std::vector<std::byte> memory(static_cast<std::size_t>(pattern.size()) + 1);
  for (int call = 0; call < 2; ++call) {
    for (std::size_t i = 0; i < memory.size(); ++i)
      memory[i] =
          static_cast<std::byte>(i * 13 + static_cast<std::size_t>(world_rank() * 7 + call));
    const Access write{Direction::write,
                       {pattern, 0, pattern.size()},
                       {Pattern::run(pattern.size()), memory.data()}};
    const auto moved = transfer_collective(**file, write, std::nullopt);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
    const std::int64_t sent = (*file)->counters.descriptors_sent;

    std::vector<std::byte> contents(static_cast<std::size_t>(kSlots) * 8);
    ASSERT_TRUE((*file)->device.read(0, contents).has_value());
    bool same = true;
    for (int r = 0; r < world_size(); ++r) {
      std::size_t i = 0;
      for (const Extent& run : runs[static_cast<std::size_t>(r)])
        for (std::int64_t b = 0; b < 8; ++b, ++i)
          same =
              same && contents[static_cast<std::size_t>(run.offset + b)] ==
                          static_cast<std::byte>(i * 13 + static_cast<std::size_t>(r * 7 + call));
    }
    EXPECT_TRUE(same);
    ASSERT_TRUE(agree(MPI_COMM_WORLD, same ? std::nullopt : std::optional(Error{})).has_value());

    std::vector<std::byte> back(memory.size());
    back.back() = memory.back();
    const Access read{
        Direction::read, {pattern, 0, pattern.size()}, {Pattern::run(pattern.size()), back.data()}};
    ASSERT_TRUE(transfer_collective(**file, read, std::nullopt).has_value());
    EXPECT_TRUE(back == memory);
    if (call == 1) {
      EXPECT_EQ((*file)->counters.descriptors_sent, sent) << "the second time nothing travels";
      EXPECT_EQ((*file)->counters.plan_hits, 2);
    }
  }
  EXPECT_TRUE(close_file(std::move(*file)).has_value());
}

INSTANTIATE_TEST_SUITE_P(Transports, Irregular,
                         ::testing::Values(TransportChoice::shared, TransportChoice::arena,
                                           TransportChoice::messages));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
