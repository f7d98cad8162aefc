// A simulation that saves its state every few steps, with Tutti's C++ interface.
//
//   checkpoint_loop FILE [ROWS [COLUMNS [CHECKPOINTS]]]
//
// A grid of doubles is cut into blocks, one per rank, each kept in memory with a rim of one cell
// for the neighbours' values. All checkpoints go into one file, one after the other, as whole grids
// in row order. The plan is made once; each checkpoint runs it at another position. At the end the
// last checkpoint is read back and compared.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "tutti/tutti.hpp"

namespace {

namespace io = tutti::io;
constexpr std::int64_t kCell = sizeof(double);

// This rank's block of the grid and its place in memory.
struct Block {
  io::Shape in_file;
  io::Shape in_memory;
  std::array<std::int64_t, 2> first{};
  std::array<std::int64_t, 2> size{};
  std::array<std::int64_t, 2> with_rim{};
};

Block block_of(int rank, int ranks, std::array<std::int64_t, 2> grid) {
  std::array<int, 2> processes{};
  MPI_Dims_create(ranks, 2, processes.data());
  const std::array<std::int64_t, 2> place{rank / processes[1], rank % processes[1]};
  Block block;
  for (std::size_t d = 0; d < 2; ++d) {
    block.first[d] = grid[d] * place[d] / processes[d];
    block.size[d] = grid[d] * (place[d] + 1) / processes[d] - block.first[d];
    block.with_rim[d] = block.size[d] + 2;
  }
  const std::array<std::int64_t, 2> inside{1, 1};
  block.in_file = io::Shape::subarray({grid, block.size, block.first}, kCell);
  block.in_memory = io::Shape::subarray({block.with_rim, block.size, inside}, kCell);
  return block;
}

// Stands for the computation: every cell's value tells where it is and how old.
double value_at(std::int64_t row, std::int64_t column, int checkpoint) {
  return static_cast<double>(row) * 1e6 + static_cast<double>(column) + checkpoint * 1e-3;
}

template <class Visit>
void for_each_cell(const Block& block, const Visit& visit) {
  for (std::int64_t i = 0; i < block.size[0]; ++i)
    for (std::int64_t j = 0; j < block.size[1]; ++j)
      visit(static_cast<std::size_t>((i + 1) * block.with_rim[1] + j + 1), block.first[0] + i,
            block.first[1] + j);
}

io::Outcome<bool> simulate(const char* name, std::array<std::int64_t, 2> grid, int checkpoints) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Block block = block_of(rank, ranks, grid);
  std::vector<double> cells(static_cast<std::size_t>(block.with_rim[0] * block.with_rim[1]), -1.0);

  auto file = io::File::open(MPI_COMM_WORLD, name, {.read = true, .write = true, .create = true});
  if (!file) return file.error();
  auto save = file->plan_write(block.in_file, block.in_memory);
  if (!save) return save.error();
  const io::Counters planned = file->counters();
  const std::int64_t grid_bytes = grid[0] * grid[1] * kCell;
  for (int checkpoint = 0; checkpoint < checkpoints; ++checkpoint) {
    for_each_cell(block, [&](std::size_t at, std::int64_t row, std::int64_t column) {
      cells[at] = value_at(row, column, checkpoint);
    });
    save->start(cells.data(), checkpoint * grid_bytes);
    // Work that leaves `cells` alone goes here.
    if (const auto saved = save->wait(); !saved) return saved.error();
  }
  const io::Counters done = file->counters();

  auto load = file->plan_read(block.in_file, block.in_memory);
  if (!load) return load.error();
  std::vector<double> loaded(cells.size(), -1.0);
  const auto moved = load->run(loaded.data(), (checkpoints - 1) * grid_bytes);
  if (!moved) return moved.error();
  if (rank == 0) {
    std::printf("%s", save->text().c_str());
    std::printf(
        "%d checkpoints: %lld plan(s) made, %lld runs served by them, "
        "%lld descriptor(s) sent while running\n",
        checkpoints, static_cast<long long>(done.plan_misses),
        static_cast<long long>(done.plan_hits),
        static_cast<long long>(done.descriptors_sent - planned.descriptors_sent));
  }
  const bool right = *moved == load->bytes() && loaded == cells &&
                     done.descriptors_sent == planned.descriptors_sent;
  if (auto closed = file->close(); !closed) return closed.error();
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::array<std::int64_t, 2> grid{argc > 2 ? std::atoll(argv[2]) : 300,
                                         argc > 3 ? std::atoll(argv[3]) : 200};
  const int checkpoints = argc > 4 ? std::atoi(argv[4]) : 5;
  int failed = 1;
  if (argc < 2 || grid[0] < 1 || grid[1] < 1 || checkpoints < 1) {
    if (rank == 0)
      std::fprintf(stderr, "usage: checkpoint_loop FILE [ROWS [COLUMNS [CHECKPOINTS]]]\n");
  } else if (const auto right = simulate(argv[1], grid, checkpoints); !right) {
    // All ranks have the same error.
    if (rank == 0) std::fprintf(stderr, "checkpoint_loop: %s\n", right.error().message().data());
  } else {
    failed = *right ? 0 : 1;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) std::printf("%s\n", failed == 0 ? "all bytes right" : "WRONG BYTES");
  }
  MPI_Finalize();
  return failed;
}
