// Views of all ranks on one file, whose cells are dealt out to them, and what their writes do to
// the reference.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "differential/random_access.hpp"
#include "differential/reference_file.hpp"
#include "support/mpi_main.hpp"

namespace tutti::test {

// How the cells of a tile are dealt out to the ranks. The same on every rank.
struct Deal {
  std::int64_t cell_bytes = 1;
  std::vector<int> owner;  // of each cell; -1: nobody
  std::int64_t displacement = 0;
};

inline Deal deal(RandomAccess& shared, int ranks) {
  Deal made;
  made.cell_bytes = std::int64_t{1} << shared.draw(0, 5);
  made.displacement = shared.chance(50) ? 0 : shared.draw(1, 99);
  const bool regular = shared.chance(30);
  const bool dense = shared.chance(40);
  const std::int64_t cells = regular ? ranks * shared.draw(1, 3) : shared.draw(ranks, 40);
  for (std::int64_t i = 0; i < cells; ++i)
    made.owner.push_back(static_cast<int>(regular || dense
                                              ? (regular ? i % ranks : shared.draw(0, ranks - 1))
                                              : shared.draw(-1, ranks - 1)));
  return made;
}

// Rank's own cells; the whole tile for reading what everybody wrote.
inline RandomView view_of_cells(const Deal& dealt, int rank, bool all) {
  RandomView view;
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  view.reference.tile.clear();
  for (std::size_t i = 0; i < dealt.owner.size(); ++i) {
    if (!all && dealt.owner[i] != rank) continue;
    const std::int64_t at = static_cast<std::int64_t>(i) * dealt.cell_bytes;
    lengths.push_back(static_cast<int>(dealt.cell_bytes));
    displacements.push_back(at);
    for (std::int64_t j = 0; j < dealt.cell_bytes; ++j) view.reference.tile.push_back(at + j);
  }
  const auto extent = static_cast<MPI_Aint>(dealt.owner.size()) * dealt.cell_bytes;
  MPI_Datatype cells = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(),
                           MPI_BYTE, &cells);
  MPI_Datatype tile = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(cells, 0, extent, &tile);
  MPI_Type_free(&cells);
  MPI_Type_commit(&tile);
  view.own_filetype = OwnedType(tile);
  view.filetype = tile;
  view.reference.extent = extent;
  view.reference.displacement = dealt.displacement;
  view.text = std::to_string(view.reference.tile.size()) + " of " + std::to_string(extent) +
              " bytes in cells of " + std::to_string(dealt.cell_bytes);
  return view;
}

// Collective: every rank applies what all of them write, in the order of ranks: offset, value,
// offset, value, …
inline void apply_all(const std::vector<std::int64_t>& mine, ReferenceFile& model) {
  const auto ranks = static_cast<std::size_t>(world_size());
  const int length = static_cast<int>(mine.size());
  std::vector<int> lengths(ranks);
  std::vector<int> starts(ranks);
  MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::vector<std::int64_t> all(static_cast<std::size_t>(starts.back() + lengths.back()));
  MPI_Allgatherv(mine.data(), length, MPI_INT64_T, all.data(), lengths.data(), starts.data(),
                 MPI_INT64_T, MPI_COMM_WORLD);
  for (std::size_t i = 0; i < all.size(); i += 2)
    model.store(all[i], static_cast<unsigned char>(all[i + 1]));
}

}  // namespace tutti::test
