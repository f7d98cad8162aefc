// ranks: 1 2 3 4 8
#include "mpi/node_block.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "support/mpi_main.hpp"

namespace tutti {
namespace {

TEST(NodeBlock, EveryRankSeesWhatEveryRankGave) {
  auto block = NodeBlock::create(MPI_COMM_WORLD, 24);
  ASSERT_TRUE(block.has_value());
  ASSERT_TRUE(block->available());
  const int ranks = test::world_size();
  for (std::int64_t round = 0; round < 3000; ++round) {
    const std::int64_t mine[3] = {round, test::world_rank(), round * 7 + test::world_rank()};
    std::vector<std::int64_t> all(static_cast<std::size_t>(3 * ranks));
    block->gather(std::as_bytes(std::span(mine)), reinterpret_cast<std::byte*>(all.data()));
    for (int r = 0; r < ranks; ++r) {
      const auto i = static_cast<std::size_t>(3 * r);
      ASSERT_EQ(all[i], round);
      ASSERT_EQ(all[i + 1], r);
      ASSERT_EQ(all[i + 2], round * 7 + r);
    }
    if (round % 5 == 0) block->barrier();
  }
}

TEST(NodeBlock, SeveralBlocksDoNotMix) {
  auto first = NodeBlock::create(MPI_COMM_WORLD, 8);
  auto second = NodeBlock::create(MPI_COMM_WORLD, 8);
  ASSERT_TRUE(first->available() && second->available());
  const int ranks = test::world_size();
  for (std::int64_t round = 0; round < 100; ++round) {
    for (NodeBlock* block : {&*first, &*second}) {
      const std::int64_t mine = round + (block == &*first ? 0 : 1000);
      std::vector<std::int64_t> all(static_cast<std::size_t>(ranks));
      block->gather(std::as_bytes(std::span(&mine, 1)), reinterpret_cast<std::byte*>(all.data()));
      for (const std::int64_t value : all) ASSERT_EQ(value, mine);
    }
  }
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
