// Blocking, split and nonblocking calls by resonant I/O on a striped file, in every order.
#include <gtest/gtest.h>

#include <string>

#include "mpi/owned.hpp"
#include "support/random_calls.hpp"
#include "support/seed.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::RandomCalls;
using test::SharedFile;
using test::test_seed;
using test::world_rank;
using test::world_size;

struct Way {
  const char* transport;
  const char* nonblocking;
};

class ResonantCalls : public testing::TestWithParam<Way> {
 protected:
  MPI_File open(int stripe) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    MPI_Info_set(info, "tutti_strategy", "resonant");
    MPI_Info_set(info, "tutti_transport", GetParam().transport);
    MPI_Info_set(info, "tutti_nonblocking", GetParam().nonblocking);
    MPI_Info_set(info, "striping_unit", std::to_string(stripe).c_str());
    MPI_Info_set(info, "striping_factor", "3");
    MPI_Info_set(info, "cb_buffer_size", "20000");
    const OwnedInfo hints(info);
    MPI_File file = MPI_FILE_NULL;
    EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, ("striped:" + file_.path()).c_str(),
                            MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, hints.get(),
                            &file),
              MPI_SUCCESS);
    return file;
  }

  // The stream of every rank is `block` bytes here and again after those of the others; one long
  // piece behind the rank's before where block is 0.
  static void set_view(MPI_File file, int block) {
    const int piece = block == 0 ? RandomCalls::kStream : block;
    MPI_Datatype run = MPI_DATATYPE_NULL;
    MPI_Datatype tile = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(piece, MPI_BYTE, &run);
    MPI_Type_create_resized(run, 0, static_cast<MPI_Aint>(piece) * world_size(), &tile);
    MPI_Type_commit(&tile);
    MPI_Type_free(&run);
    const OwnedType owned(tile);
    TUTTI_OK(MPI_File_set_view(file, static_cast<MPI_Offset>(piece) * world_rank(), MPI_BYTE, tile,
                               "native", MPI_INFO_NULL));
  }

  SharedFile file_{"resonant_calls"};
};

TEST_P(ResonantCalls, MatchTheModel) {
  const std::uint64_t base = test_seed("ResonantCalls", 30240, world_rank() == 0);
  for (const int stripe : {100, 4096})
    for (const int block : {13, 4000, 0}) {
      MPI_File file = open(stripe);
      set_view(file, block);
      TUTTI_OK(MPI_File_set_size(file, MPI_Offset{RandomCalls::kStream + 4000} * world_size()));
      RandomCalls calls(file, base + static_cast<std::uint64_t>(block + stripe));
      for (int i = 0; i < 25 && !HasFatalFailure(); ++i) calls.step();
      calls.settle();
      TUTTI_OK(MPI_File_close(&file));
    }
}

INSTANTIATE_TEST_SUITE_P(Ways, ResonantCalls,
                         testing::Values(Way{"auto", "auto"}, Way{"messages", "auto"},
                                         Way{"messages", "polled"}, Way{"auto", "polled"}));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
