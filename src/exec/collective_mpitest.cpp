// ranks: 1 2 3 4 5 7 8 16
#include "exec/collective.hpp"
#include "exec/collective_state.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "device/registry.hpp"
#include "mpi/agree.hpp"
#include "support/mpi_main.hpp"
#include "support/pretended_nodes.hpp"
#include "support/random_access.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;
using testing::AccessSet;
using testing::make_access_set;

std::vector<std::byte> noise(std::int64_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> filled(static_cast<std::size_t>(bytes));
  for (std::byte& b : filled) b = static_cast<std::byte>(random());
  return filled;
}

// Fewer seeds for wide runs, which take turns on few cores, and for MPICH, whose ranks spin.
std::uint64_t rounds() {
#ifdef TUTTI_HOST_MPICH
  return world_size() <= 2 ? 60 : 6;
#else
  return world_size() <= 4 ? 60 : 20;
#endif
}

// One engine configuration to be held against the reference.
// Which rank's bytes survive where writes overlap is defined for exchanging strategies only.
struct Setup {
  const char* strategy;
  std::int64_t radix;
  TransportChoice transport;
  testing::Overlap overlap = testing::Overlap::allowed;
  int ranks_per_node = 0;  // 0: as it is
  int io_nodes = 0;        // 0: not striped
};

const char* name_of(TransportChoice transport) {
  switch (transport) {
    case TransportChoice::messages:
      return " by messages";
    case TransportChoice::shared:
      return " by peer memory";
    case TransportChoice::arena:
      return " by the arena";
    default:
      return "";
  }
}

std::ostream& operator<<(std::ostream& out, const Setup& setup) {
  return out << setup.strategy << " radix " << setup.radix << name_of(setup.transport)
             << (setup.ranks_per_node > 0 ? " as if on several nodes" : "") << " on "
             << setup.io_nodes << " I/O nodes";
}

class Collective : public ::testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    name_ = "/dev/shm/tutti-collective-" + std::to_string(getppid());
    MPI_Bcast(name_.data(), static_cast<int>(name_.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    if (GetParam().io_nodes > 0) name_ = "striped:" + name_;
  }

  // Where files are striped, by units of every size from next to nothing to the whole file.
  std::unique_ptr<OpenFile> open(std::int64_t buffer_bytes, std::uint64_t seed) const {
    Hints hints;
    hints.strategy = GetParam().strategy;
    hints.radix = GetParam().radix;
    hints.transport = GetParam().transport;
    hints.cb_buffer_size = buffer_bytes;
    hints.striping_factor = GetParam().io_nodes;
    hints.striping_unit = (std::int64_t{16} << seed % 9) + static_cast<std::int64_t>(seed % 3);
    hints.start_iodevice = static_cast<std::int64_t>(seed % 4);
    hints.list_segments = seed % 2 == 0 ? 64 : 3;
    auto file =
        open_file(MPI_COMM_WORLD, name_,
                  {.read = true, .write = true, .create = true, .delete_on_close = true}, hints);
    EXPECT_TRUE(file.has_value());
    if (!file) return nullptr;
    if (GetParam().ranks_per_node > 0) test::pretend_nodes(**file, GetParam().ranks_per_node);
    return std::move(*file);
  }

  // Rank 0 sets the file's contents, everybody sees them.
  static void fill(OpenFile& file, const std::vector<std::byte>& contents) {
    if (file.rank == 0) {
      ASSERT_TRUE(file.device->resize(0).has_value());
      ASSERT_TRUE(file.device.write(0, contents).has_value());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  std::string name_;
};

TEST_P(Collective, WritesTheBytesOfTheReference) {
  for (std::uint64_t seed = 0; seed < rounds(); ++seed) {
    SCOPED_TRACE(seed);
    const AccessSet set = make_access_set(seed, world_size(), GetParam().overlap);
    auto file = open(set.buffer_bytes, seed);
    ASSERT_NE(file, nullptr);
    std::vector<std::byte> expected = noise(set.file_bytes, seed + 1);
    fill(*file, expected);
    for (int repetition = 0; repetition < 2; ++repetition) {  // the second one finds the plan again
      for (int r = 0; r < world_size(); ++r) {
        const auto& part = set.parts[static_cast<std::size_t>(r)];
        const auto memory = noise(part.memory_bytes,
                                  seed * 100 + static_cast<std::uint64_t>(r + 1000 * repetition));
        for (std::size_t k = 0; k < part.files.size(); ++k) {
          const auto at = static_cast<std::size_t>(part.files[k]);
          if (at >= expected.size()) expected.resize(at + 1);
          expected[at] = memory[static_cast<std::size_t>(part.memories[k])];
        }
      }
      const auto& mine = set.parts[static_cast<std::size_t>(world_rank())];
      auto memory =
          noise(mine.memory_bytes,
                seed * 100 + static_cast<std::uint64_t>(world_rank() + 1000 * repetition));
      const Access access{Direction::write, mine.file, {mine.memory, memory.data()}};
      const auto moved = transfer_collective(*file, access, std::nullopt);
      ASSERT_TRUE(moved.has_value()) << moved.error().message;
      EXPECT_EQ(*moved, mine.file.bytes);
      std::vector<std::byte> contents(expected.size() + 10);
      const auto got = file->device.read(0, contents);
      contents.resize(static_cast<std::size_t>(*got));
      const bool same = contents == expected;
      EXPECT_TRUE(same) << "first difference at "
                        << std::mismatch(contents.begin(), contents.end(), expected.begin(),
                                         expected.end())
                                   .first -
                               contents.begin()
                        << " of " << contents.size() << " / " << expected.size();
      const Status all = agree(MPI_COMM_WORLD, same ? std::nullopt : std::optional(Error{}));
      ASSERT_TRUE(all.has_value());
    }
    EXPECT_TRUE(close_file(std::move(file)).has_value());
  }
}

TEST_P(Collective, ReadsTheBytesOfTheReference) {
  for (std::uint64_t seed = 0; seed < rounds(); ++seed) {
    SCOPED_TRACE(seed);
    const AccessSet set = make_access_set(seed, world_size(), testing::Overlap::allowed);
    auto file = open(set.buffer_bytes, seed);
    ASSERT_NE(file, nullptr);
    const std::vector<std::byte> contents = noise(set.file_bytes, seed + 1);
    fill(*file, contents);
    const auto& mine = set.parts[static_cast<std::size_t>(world_rank())];
    for (int repetition = 0; repetition < 2; ++repetition) {
      auto memory = noise(mine.memory_bytes, seed + 7);
      auto expected = memory;
      std::int64_t count = 0;
      for (; count < std::ssize(mine.files); ++count) {
        const auto k = static_cast<std::size_t>(count);
        if (mine.files[k] >= set.file_bytes) break;
        expected[static_cast<std::size_t>(mine.memories[k])] =
            contents[static_cast<std::size_t>(mine.files[k])];
      }
      const Access access{Direction::read, mine.file, {mine.memory, memory.data()}};
      const auto moved = transfer_collective(*file, access, std::nullopt);
      ASSERT_TRUE(moved.has_value()) << moved.error().message;
      EXPECT_EQ(*moved, count);
      EXPECT_TRUE(memory == expected);
      const Status all =
          agree(MPI_COMM_WORLD, memory == expected ? std::nullopt : std::optional(Error{}));
      ASSERT_TRUE(all.has_value());
    }
    EXPECT_TRUE(close_file(std::move(file)).has_value());
  }
}

INSTANTIATE_TEST_SUITE_P(
    Engines, Collective,
    ::testing::Values(
        Setup{"auto", 2, TransportChoice::automatic},
        Setup{"two-phase", 2, TransportChoice::shared},
        Setup{"two-phase", 2, TransportChoice::arena},
        Setup{"two-phase", 2, TransportChoice::messages},
        Setup{"two-phase", 2, TransportChoice::automatic, testing::Overlap::allowed, 2},
        Setup{"multi-phase", 2, TransportChoice::automatic},
        Setup{"multi-phase", 2, TransportChoice::messages},
        Setup{"multi-phase", 3, TransportChoice::messages},
        Setup{"multi-phase", 1 << 20, TransportChoice::messages},
        Setup{"resonant", 2, TransportChoice::automatic, testing::Overlap::forbidden, 0, 4},
        Setup{"resonant", 2, TransportChoice::messages, testing::Overlap::forbidden, 0, 16},
        Setup{"resonant", 2, TransportChoice::automatic, testing::Overlap::forbidden, 2, 8},
        Setup{"auto", 2, TransportChoice::automatic, testing::Overlap::forbidden, 0, 4},
        Setup{"two-phase", 2, TransportChoice::arena, testing::Overlap::allowed, 0, 8},
        Setup{"multi-phase", 2, TransportChoice::messages, testing::Overlap::allowed, 0, 16},
        Setup{"naive", 2, TransportChoice::automatic, testing::Overlap::forbidden},
        Setup{"list", 2, TransportChoice::automatic, testing::Overlap::forbidden},
        Setup{"sieve", 2, TransportChoice::automatic, testing::Overlap::forbidden}));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
