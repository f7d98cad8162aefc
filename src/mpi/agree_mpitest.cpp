// ranks: 1 2 3 4 7
#include "mpi/agree.hpp"

#include <gtest/gtest.h>

#include <string>

#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

std::optional<Error> error_of(int rank) {
  return Error{rank % 2 == 0 ? ErrorKind::no_space : ErrorKind::quota_exceeded,
               "rank " + std::to_string(rank) + ": " + std::string(100U * (rank + 1U), 'x')};
}

TEST(Agree, SucceedsWhenNobodyFails) { EXPECT_TRUE(agree(MPI_COMM_WORLD, std::nullopt)); }

TEST(Agree, EveryRankReturnsTheErrorOfTheOneThatFailed) {
  for (int failing = 0; failing < world_size(); ++failing) {
    const auto mine = world_rank() == failing ? error_of(failing) : std::nullopt;
    const Status outcome = agree(MPI_COMM_WORLD, mine);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error(), *error_of(failing));
  }
}

TEST(Agree, TheLowestFailingRankSpeaks) {
  for (int lowest = 0; lowest < world_size(); ++lowest) {
    const auto mine = world_rank() >= lowest ? error_of(world_rank()) : std::nullopt;
    const Status outcome = agree(MPI_COMM_WORLD, mine);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error(), *error_of(lowest));
  }
}

TEST(Agree, CarriesAnEmptyMessageAndLeavesTheCommunicatorUsable) {
  const auto mine =
      world_rank() == world_size() - 1 ? std::optional(Error{ErrorKind::io, ""}) : std::nullopt;
  const Status outcome = agree(MPI_COMM_WORLD, mine);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error(), (Error{ErrorKind::io, ""}));
  EXPECT_TRUE(agree(MPI_COMM_WORLD, std::nullopt));
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
