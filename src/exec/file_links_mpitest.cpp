// ranks: 2 3 4
#include "exec/file_links.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

FileLinks take(MPI_Comm comm, bool shares_memory = true) {
  auto links = take_links(comm, shares_memory);
  EXPECT_TRUE(links.has_value());
  return links ? std::move(*links) : FileLinks();
}

TEST(FileLinks, TheNextFileGetsWhatTheLastOneLeft) {
  FileLinks first = take(MPI_COMM_WORLD);
  const std::uint64_t id = first.id;
  const MPI_Comm comm = first.comm.get();
  EXPECT_TRUE(first.connections.node.available());
  give_back(std::move(first));
  // Another communicator of the same processes.
  OwnedComm same;
  MPI_Comm_dup(MPI_COMM_WORLD, same.fill());
  FileLinks second = take(same.get());
  EXPECT_EQ(second.id, id);
  EXPECT_EQ(second.comm.get(), comm);
  EXPECT_TRUE(second.connections.node.available());
  give_back(std::move(second));
}

TEST(FileLinks, FilesThatAreOpenTogetherShareNothing) {
  std::vector<FileLinks> open;
  for (int i = 0; i < 4; ++i) open.push_back(take(MPI_COMM_WORLD));
  for (std::size_t i = 0; i < open.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(open[i].id, open[j].id);
      EXPECT_NE(open[i].comm.get(), open[j].comm.get());
    }
  for (FileLinks& links : open) give_back(std::move(links));
}

TEST(FileLinks, NobodySharesMemoryWhereOneDoesNot) {
  FileLinks none = take(MPI_COMM_WORLD, false);
  EXPECT_FALSE(none.connections.node.available());
  EXPECT_FALSE(none.connections.peers.available());
  give_back(std::move(none));
  FileLinks mixed = take(MPI_COMM_WORLD, world_rank() != 0);
  EXPECT_FALSE(mixed.shares_memory);
  EXPECT_FALSE(mixed.connections.node.available());
  give_back(std::move(mixed));
}

TEST(FileLinks, OtherProcessesAndOtherOrdersGetTheirOwn) {
  FileLinks all = take(MPI_COMM_WORLD);
  const std::uint64_t id = all.id;
  const MPI_Comm comm = all.comm.get();
  give_back(std::move(all));
  OwnedComm backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank(), backwards.fill());
  FileLinks turned = take(backwards.get());
  int rank = -1;
  MPI_Comm_rank(turned.comm.get(), &rank);
  EXPECT_EQ(rank, world_size() - 1 - world_rank());
  FileLinks alone = take(MPI_COMM_SELF);
  MPI_Comm_size(alone.comm.get(), &rank);
  EXPECT_EQ(rank, 1);
  FileLinks again = take(MPI_COMM_WORLD);
  EXPECT_EQ(again.id, id);
  EXPECT_EQ(again.comm.get(), comm);
  give_back(std::move(again));
  give_back(std::move(alone));
  give_back(std::move(turned));
}

// Leaves this process with something that nobody can use any more.
TEST(FileLinks, RanksThatKeptDifferentOnesGetNewOnes) {
  FileLinks one = take(MPI_COMM_WORLD);
  const std::uint64_t id = one.id;
  if (world_rank() == world_size() - 1) one.id += 1000;
  give_back(std::move(one));
  FileLinks next = take(MPI_COMM_WORLD);
  EXPECT_GT(next.id, id);
  int sum = 0;
  const int mine = 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, next.comm.get());
  EXPECT_EQ(sum, world_size());
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
