// The main function of every x_mpitest.cpp:
//   int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>

namespace tutti::test {

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

// Silent but for failures, which it prefixes with the rank.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

  void OnTestPartResult(const testing::TestPartResult& part) override {
    if (!part.failed()) return;
    std::fprintf(stderr, "[rank %d] %s:%d: %s\n", rank_, part.file_name(), part.line_number(),
                 part.message());
  }

 private:
  int rank_;
};

// Collective. Runs the tests on every rank; rank 0 reports progress, the others their failures
// only. Every rank returns 1 if a test failed on any of them.
inline int mpi_main(int argc, char** argv, int thread_level = MPI_THREAD_SINGLE) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, thread_level, &provided);
  testing::InitGoogleTest(&argc, argv);
  const int rank = world_rank();
  if (rank != 0) {
    testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(rank));
  }
  const int failed_here = RUN_ALL_TESTS() != 0 ? 1 : 0;
  int ranks_failing = 0;
  MPI_Allreduce(&failed_here, &ranks_failing, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && ranks_failing > 0)
    std::fprintf(stderr, "%d of %d ranks had failures\n", ranks_failing, world_size());
  MPI_Finalize();
  return ranks_failing > 0 ? 1 : 0;
}

}  // namespace tutti::test
