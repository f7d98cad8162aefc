// ranks: 1 2
#include "mpi/owned.hpp"

#include <gtest/gtest.h>

#include "support/mpi_main.hpp"

namespace tutti {
namespace {

TEST(Owned, MovesAndReleasesOnce) {
  OwnedType pair;
  ASSERT_EQ(PMPI_Type_contiguous(2, MPI_INT, pair.fill()), MPI_SUCCESS);
  const MPI_Datatype handle = pair.get();
  OwnedType other = std::move(pair);
  EXPECT_TRUE(pair.empty());
  EXPECT_EQ(other.get(), handle);
  OwnedType third;
  third = std::move(other);
  int size = 0;
  EXPECT_EQ(PMPI_Type_size(third.get(), &size), MPI_SUCCESS);
  EXPECT_EQ(size, 8);
  MPI_Datatype given_up = third.release();
  EXPECT_TRUE(third.empty());
  EXPECT_EQ(PMPI_Type_free(&given_up), MPI_SUCCESS);
}

TEST(Owned, DuplicatedCommunicatorHasTheSameProcessesAndReturnsErrors) {
  auto copy = duplicate_comm(MPI_COMM_WORLD);
  ASSERT_TRUE(copy);
  int relation = 0;
  PMPI_Comm_compare(MPI_COMM_WORLD, copy->get(), &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  const Status outcome =
      mpi_status(PMPI_Send(nullptr, 1, MPI_INT, test::world_size(), 0, copy->get()), "MPI_Send");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::internal);
  EXPECT_EQ(outcome.error().message.rfind("MPI_Send failed: ", 0), 0U) << outcome.error().message;
}

TEST(Owned, DuplicatedInfoKeepsItsKeys) {
  OwnedInfo original;
  ASSERT_EQ(PMPI_Info_create(original.fill()), MPI_SUCCESS);
  ASSERT_EQ(PMPI_Info_set(original.get(), "cb_nodes", "3"), MPI_SUCCESS);
  auto copy = duplicate_info(original.get());
  ASSERT_TRUE(copy);
  original.reset();
  char value[8] = {};
  int found = 0;
  PMPI_Info_get(copy->get(), "cb_nodes", 7, value, &found);
  EXPECT_TRUE(found != 0);
  EXPECT_STREQ(value, "3");
  EXPECT_TRUE(duplicate_info(MPI_INFO_NULL)->empty());
}

TEST(Owned, ARequestIsWaitedFor) {
  int received = 0;
  const int sent = 42;
  {
    OwnedRequest incoming;
    PMPI_Irecv(&received, 1, MPI_INT, test::world_rank(), 0, MPI_COMM_WORLD, incoming.fill());
    PMPI_Send(&sent, 1, MPI_INT, test::world_rank(), 0, MPI_COMM_WORLD);
  }
  EXPECT_EQ(received, 42);
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
