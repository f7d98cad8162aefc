// Collective writes and reads of striped files by every strategy, against a model of the file:
// views with and without holes, units up to 4 MiB on up to 16 I/O nodes that all get their turn,
// files that end inside a stripe, readers that were not the writers.
// ranks: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>

#include "storage/storage_file.hpp"
#include "strategy/strategy.hpp"
#include "support/seed.hpp"

namespace tutti::test {
namespace {

// No case begins later, but all strategies have their turn.
double seconds_wanted() {
  const char* const said = std::getenv("TUTTI_TEST_SECONDS");
  return said == nullptr ? 4 : std::atof(said);
}
constexpr std::int64_t kMostBytes = 5 << 20;

// Cells of a repeating tile, dealt out to ranks. The same on every rank.
struct Deal {
  std::int64_t cell_bytes = 1;
  std::vector<int> owners;  // -1: nobody
  std::int64_t displacement = 0;
  std::int64_t tiles = 1;
  std::int64_t hole_bytes = 0;  // behind every tile

  std::int64_t tile_bytes() const { return cell_bytes * std::ssize(owners) + hole_bytes; }
  std::int64_t cells_of(int rank) const { return std::ranges::count(owners, rank); }
};

// The bytes that a file should have; what nobody wrote is zero.
class Model {
 public:
  std::int64_t size() const { return size_; }
  void store(std::int64_t offset, unsigned char value) {
    page(offset / kPage)[static_cast<std::size_t>(offset % kPage)] = value;
    size_ = std::max(size_, offset + 1);
  }
  unsigned char at(std::int64_t offset) const {
    const auto found = pages_.find(offset / kPage);
    return found == pages_.end() ? static_cast<unsigned char>(0)
                                 : found->second[static_cast<std::size_t>(offset % kPage)];
  }

 private:
  static constexpr std::int64_t kPage = 4096;
  using Page = std::array<unsigned char, kPage>;

  Page& page(std::int64_t number) {
    if (last_ == nullptr || number != last_number_) {
      last_ = &pages_[number];
      last_number_ = number;
    }
    return *last_;
  }

  std::map<std::int64_t, Page> pages_;
  std::int64_t size_ = 0;
  Page* last_ = nullptr;
  std::int64_t last_number_ = 0;
};

std::vector<std::string> strategy_names() {
  std::vector<std::string> names{"auto"};
  for (const Strategy& strategy : strategies()) names.emplace_back(strategy.name);
  return names;
}

class Case {
 public:
  // As many cases in a row as there are strategies have every one of them as writer and as reader.
  Case(std::uint64_t seed, std::uint64_t number) : number_(number), seed_(seed), random_(seed) {
    const std::vector<std::string> names = strategy_names();
    writes_by_ = names[number % names.size()];
    reads_by_ = names[(number + 1 + number / names.size()) % names.size()];
    constexpr std::int64_t kUnits[] = {64 << 10, 128 << 10, 256 << 10, 1 << 20, 4 << 20};
    constexpr std::int64_t kFactors[] = {1, 2, 3, 4, 8, 16};
    // In all combinations, in time.
    unit_ = kUnits[(number + seed) % 5];
    factor_ = kFactors[(number + seed) % 6];
    wraps_ = number % 2 == 0;
    writes_ = dealt();
    reads_ = draw(2) == 0 ? writes_ : dealt();
    buffer_ = draw(3) == 0 ? 256 << 10 : 16 << 20;
  }

  // Whether the file ended inside a stripe, and whether the first I/O node got a second one.
  bool ended_inside() const { return model_.size() % unit_ != 0; }
  bool wrapped() const { return model_.size() > unit_ * factor_; }

  std::string text() const {
    return "case " + std::to_string(number_) + ": written by " + writes_by_ + ", read by " +
           reads_by_ + (wraps_ ? ", with holes, unit " : ", unit ") + std::to_string(unit_) +
           ", factor " + std::to_string(factor_) + ", cells of " +
           std::to_string(writes_.cell_bytes) + " and " + std::to_string(reads_.cell_bytes) +
           " bytes";
  }

  // Collective.
  void play() {
    const std::string name = storage_name("collective");
    const Info info({{"striping_unit", std::to_string(unit_)},
                     {"striping_factor", std::to_string(factor_)},
                     {"cb_buffer_size", std::to_string(buffer_)},
                     {"tutti_strategy", writes_by_}});
    MPI_File file = MPI_FILE_NULL;
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, name.c_str(),
                            MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, info.get(), &file),
              MPI_SUCCESS);
    EXPECT_EQ(info_value(file, "striping_unit"), std::to_string(unit_));
    EXPECT_EQ(info_value(file, "striping_factor"), std::to_string(factor_));
    const int calls = 1 + static_cast<int>(draw(2));
    for (int call = 1; call <= calls; ++call) write(file, call);
    alone(file);
    MPI_Offset size = -1;
    EXPECT_EQ(MPI_File_sync(file), MPI_SUCCESS);
    EXPECT_EQ(MPI_File_get_size(file, &size), MPI_SUCCESS);
    EXPECT_EQ(size, model_.size());
    const Info other({{"tutti_strategy", reads_by_}});
    EXPECT_EQ(MPI_File_set_info(file, other.get()), MPI_SUCCESS);
    read(file);
    EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
    ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, name.c_str(),
                            MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file),
              MPI_SUCCESS);
    look_at_all(file);
    EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
  }

 private:
  std::size_t draw(std::size_t below) { return random_() % below; }

  Deal dealt() {
    const std::int64_t ranks = world_size();
    Deal made;
    const std::int64_t shapes[] = {
        1 + static_cast<std::int64_t>(draw(64)), 4096, 1000, unit_ / 3 + 1, unit_, unit_ + 17};
    made.cell_bytes = std::min<std::int64_t>(shapes[draw(6)], kMostBytes / (2 * ranks));
    made.displacement = draw(2) == 0 ? 0 : static_cast<std::int64_t>(draw(100'000));
    const bool cyclic = draw(2) == 0;
    const std::int64_t cells = cyclic ? ranks : ranks + static_cast<std::int64_t>(draw(10));
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      const auto lot = static_cast<int>(draw(static_cast<std::size_t>(ranks) + 1)) - 1;
      made.owners.push_back(cyclic ? static_cast<int>(cell) : lot);
    }
    made.tiles = std::clamp<std::int64_t>(kMostBytes / made.tile_bytes(), 1, 300);
    const std::int64_t span = wraps_ ? unit_ * factor_ + unit_ / 2 : 0;
    if (span > made.tiles * made.tile_bytes()) {
      made.tiles = std::max<std::int64_t>(made.tiles, 2);
      made.hole_bytes = span / (made.tiles - 1) - made.tile_bytes() + 1;
    }
    made.hole_bytes = std::max<std::int64_t>(made.hole_bytes, 0);
    return made;
  }

  // Collective: sets the view of this rank's cells.
  static void set_view(MPI_File file, const Deal& deal) {
    std::vector<MPI_Aint> places;
    std::vector<int> lengths;
    for (std::size_t cell = 0; cell < deal.owners.size(); ++cell) {
      if (deal.owners[cell] != world_rank()) continue;
      places.push_back(static_cast<MPI_Aint>(cell) * deal.cell_bytes);
      lengths.push_back(static_cast<int>(deal.cell_bytes));
    }
    MPI_Datatype cells = MPI_DATATYPE_NULL;
    MPI_Datatype tile = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(static_cast<int>(places.size()), lengths.data(), places.data(),
                             MPI_BYTE, &cells);
    MPI_Type_create_resized(cells, 0, deal.tile_bytes(), &tile);
    MPI_Type_commit(&tile);
    // A view of no bytes is none: such a rank takes part without any.
    EXPECT_EQ(MPI_File_set_view(file, deal.displacement, MPI_BYTE, places.empty() ? MPI_BYTE : tile,
                                "native", MPI_INFO_NULL),
              MPI_SUCCESS);
    MPI_Type_free(&tile);
    MPI_Type_free(&cells);
  }

  // visit(file offset, stream byte) for all bytes of `rank`, which stop inside a cell.
  template <class Visit>
  static std::int64_t for_each_byte(const Deal& deal, int rank, Visit&& visit) {
    std::int64_t stream = 0;
    const std::int64_t all = deal.cells_of(rank) * deal.cell_bytes * deal.tiles;
    const std::int64_t last = all - std::min<std::int64_t>(all, deal.cell_bytes / 2);
    for (std::int64_t tile = 0; tile < deal.tiles; ++tile)
      for (std::size_t cell = 0; cell < deal.owners.size(); ++cell) {
        if (deal.owners[cell] != rank) continue;
        const std::int64_t at = deal.displacement + tile * deal.tile_bytes() +
                                static_cast<std::int64_t>(cell) * deal.cell_bytes;
        for (std::int64_t i = 0; i < deal.cell_bytes && stream < last; ++i) visit(at + i, stream++);
      }
    return stream;
  }

  void write(MPI_File file, int call) {
    set_view(file, writes_);
    std::vector<unsigned char> memory;
    const std::uint64_t key = seed_ * 16 + static_cast<std::uint64_t>(call);
    for (int rank = 0; rank < world_size(); ++rank)
      for_each_byte(writes_, rank, [&](std::int64_t offset, std::int64_t) {
        model_.store(offset, byte_of(key, offset));
        if (rank == world_rank()) memory.push_back(byte_of(key, offset));
      });
    memory.push_back(0);
    const int bytes = static_cast<int>(memory.size()) - 1;
    MPI_Status status;
    EXPECT_EQ(MPI_File_write_at_all(file, 0, memory.data(), bytes, MPI_BYTE, &status), MPI_SUCCESS);
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT_EQ(count, bytes);
  }

  // Every rank writes some bytes on its own and finds them, and finds what it wrote with the
  // others.
  void alone(MPI_File file) {
    EXPECT_EQ(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), MPI_SUCCESS);
    constexpr std::int64_t kBytes = 300;
    for (int rank = 0; rank < world_size(); ++rank) {
      const std::int64_t at = static_cast<std::int64_t>(draw(1000)) + rank * 70'000;
      std::vector<unsigned char> mine;
      for (std::int64_t i = 0; i < kBytes; ++i) {
        const unsigned char value = byte_of(seed_ * 16 + 9, at + i);
        model_.store(at + i, value);
        mine.push_back(value);
      }
      if (rank != world_rank()) continue;
      EXPECT_EQ(MPI_File_write_at(file, at, mine.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE),
                MPI_SUCCESS);
      std::vector<unsigned char> found(kBytes);
      EXPECT_EQ(MPI_File_read_at(file, at, found.data(), kBytes, MPI_BYTE, MPI_STATUS_IGNORE),
                MPI_SUCCESS);
      EXPECT_TRUE(found == mine) << "own bytes";
    }
  }

  void read(MPI_File file) {
    set_view(file, reads_);
    std::vector<unsigned char> expected;
    bool whole = true;
    const std::int64_t bytes =
        for_each_byte(reads_, world_rank(), [&](std::int64_t offset, std::int64_t) {
          whole = whole && offset < model_.size();
          if (whole) expected.push_back(model_.at(offset));
        });
    std::vector<unsigned char> found(static_cast<std::size_t>(bytes) + 1, 0xee);
    MPI_Status status;
    EXPECT_EQ(
        MPI_File_read_at_all(file, 0, found.data(), static_cast<int>(bytes), MPI_BYTE, &status),
        MPI_SUCCESS);
    int count = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    EXPECT_EQ(count, std::ssize(expected));
    found.resize(expected.size());
    EXPECT_TRUE(found == expected) << "collective read";
  }

  void look_at_all(MPI_File file) const {
    MPI_Offset size = -1;
    EXPECT_EQ(MPI_File_get_size(file, &size), MPI_SUCCESS);
    EXPECT_EQ(size, model_.size());
    if (world_rank() != world_size() - 1) return;
    constexpr std::int64_t kChunk = 1 << 20;
    std::vector<unsigned char> found(kChunk);
    for (std::int64_t at = 0; at < size; at += kChunk) {
      const std::int64_t bytes = std::min<std::int64_t>(kChunk, size - at);
      EXPECT_EQ(MPI_File_read_at(file, at, found.data(), static_cast<int>(bytes), MPI_BYTE,
                                 MPI_STATUS_IGNORE),
                MPI_SUCCESS);
      for (std::int64_t i = 0; i < bytes; ++i)
        ASSERT_EQ(found[static_cast<std::size_t>(i)], model_.at(at + i))
            << "byte " << at + i << " of the whole file";
    }
  }

  std::uint64_t number_;
  std::uint64_t seed_;
  std::mt19937_64 random_;  // draws the same on all ranks
  std::string writes_by_;
  std::string reads_by_;
  std::int64_t unit_ = 0;
  std::int64_t factor_ = 1;
  bool wraps_ = false;  // over all I/O nodes and the first one again
  std::int64_t buffer_ = 0;
  Deal writes_;
  Deal reads_;
  Model model_;
};

// Collective. Whether it holds on every rank.
bool everywhere(bool here) {
  const int mine = here ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all != 0;
}

TEST(StorageCollective, EveryStrategyLeavesTheModelsFile) {
  const std::uint64_t seed = test_seed("storage", 5'000, world_rank() == 0);
  const char* const only = std::getenv("TUTTI_TEST_CASE");
  const double began = MPI_Wtime();
  const std::uint64_t once_round = strategy_names().size();
  const std::uint64_t most = only != nullptr ? 1 : 200;
  std::uint64_t cases = 0;
  int wrapped = 0;
  int ended_inside = 0;
  for (; cases < most; ++cases) {
    const bool in_time = MPI_Wtime() - began < seconds_wanted();
    if (!everywhere(in_time) && cases >= once_round) break;
    const std::uint64_t number = only != nullptr ? std::stoull(only) : cases;
    Case one(seed + number, number);
    SCOPED_TRACE(one.text());
    one.play();
    wrapped += one.wrapped() ? 1 : 0;
    ended_inside += one.ended_inside() ? 1 : 0;
    if (!everywhere(!HasFailure())) break;
  }
  if (world_rank() == 0) std::printf("%llu cases\n", static_cast<unsigned long long>(cases));
  if (only != nullptr || HasFailure()) return;
  EXPECT_GE(cases, once_round) << "every strategy";
  EXPECT_GT(wrapped, 0);
  EXPECT_GT(ended_inside, 0);
}

}  // namespace
}  // namespace tutti::test

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
