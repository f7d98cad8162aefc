// ranks: 1 2 3 4
// Atomic mode: overlapping accesses of several ranks and handles behave as if one after the other.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/atomic_file.hpp"
#include "support/seed.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::AtomicFile;
using test::is_error;
using test::kPitch;
using test::kShapes;
using test::kSpan;
using test::Shape;
using test::SharedFile;

struct Hint {
  const char* key;
  const char* value;
};

class Atomic : public testing::TestWithParam<Hint> {
 protected:
  // As long as every shape, so that no read meets the end of the file.
  void SetUp() override { file_.fill(std::string(kSpan + 2 * kPitch, 'z')); }
  AtomicFile open(MPI_Comm comm) {
    OwnedInfo info;
    MPI_Info_create(info.fill());
    MPI_Info_set(info.get(), GetParam().key, GetParam().value);
    return AtomicFile(comm, file_.path(), info.get());
  }
  std::uint64_t seed_ = test::test_seed("atomic", 20260611, test::world_rank() == 0);
  std::mt19937_64 random_{seed_ + static_cast<std::uint64_t>(test::world_rank())};
  SharedFile file_{"atomic"};
  char value() { return static_cast<char>('a' + random_() % 26); }
  Shape shape() { return kShapes[random_() % std::size(kShapes)]; }
};

TEST_P(Atomic, IndependentAccessesAreWhole) {
  AtomicFile file = open(MPI_COMM_WORLD);
  for (int round = 0; round < 5; ++round) {
    file.look_at(shape());
    for (int i = 0; i < 30; ++i) {
      if (random_() % 2 == 0)
        file.write(value(), false);
      else
        file.read(false);
    }
  }
}

TEST_P(Atomic, AccessesThroughSeveralHandlesAreWhole) {
  AtomicFile all = open(MPI_COMM_WORLD);
  AtomicFile alone = open(MPI_COMM_SELF);
  for (int round = 0; round < 5; ++round) {
    all.look_at(shape());
    alone.look_at(shape());
    for (int i = 0; i < 20; ++i) {
      AtomicFile& file = random_() % 2 == 0 ? all : alone;
      if (random_() % 2 == 0)
        file.write(value(), false);
      else
        file.read(false);
    }
    const char mine = value();
    if (test::world_size() == 1) {
      all.write(mine, false);
      EXPECT_EQ(alone.read(false), mine) << "seen by the other handle at once";
    }
  }
}

// Even ranks access together, odd ranks each alone, the same bytes.
TEST_P(Atomic, CollectiveAccessesAreWholeBesideOthers) {
  const int rank = test::world_rank();
  OwnedComm group;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, group.fill());
  const bool together = rank % 2 == 0;
  AtomicFile file = open(group.get());
  std::mt19937_64 same(seed_);  // even ranks decide alike
  for (int round = 0; round < 3; ++round) {
    file.look_at(shape());
    for (int i = 0; i < 12; ++i) {
      if ((together ? same : random_)() % 2 == 0)
        file.write(value(), together);
      else
        file.read(together);
    }
  }
}

TEST_P(Atomic, OverlappingCollectiveWritesAreOneAfterTheOther) {
  AtomicFile file = open(MPI_COMM_WORLD);
  for (int round = 0; round < 5; ++round) {
    file.look_at(shape());
    file.write(static_cast<char>('a' + test::world_rank()), true);
    const char seen = file.read(true);
    EXPECT_GE(seen, 'a');
    EXPECT_LT(seen, 'a' + test::world_size());
    char first = seen;
    MPI_Bcast(&first, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    EXPECT_EQ(seen, first);
    // Written by one rank, seen by the others behind a barrier, without a sync.
    MPI_Barrier(MPI_COMM_WORLD);
    if (test::world_rank() == round % test::world_size()) file.write('X', false);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(file.read(round % 2 == 0), 'X');
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Hints, Atomic,
    testing::Values(Hint{"tutti_strategy", "auto"}, Hint{"romio_ds_write", "enable"},
                    Hint{"tutti_strategy", "sieve"}, Hint{"tutti_strategy", "two-phase"},
                    Hint{"tutti_strategy", "list"}, Hint{"tutti_access", "mapped"},
                    Hint{"tutti_transport", "messages"}),
    [](const auto& each) {
      std::string name = std::string(each.param.key) + "_" + each.param.value;
      for (char& c : name)
        if (c == '-') c = '_';
      return name;
    });

TEST(AtomicMode, NeedsLocks) {
  const SharedFile plain("no_locks");
  const std::string name = "faulty:fail-lock:" + plain.path();
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                         MPI_INFO_NULL, &file));
  EXPECT_TRUE(
      is_error(MPI_File_set_atomicity(file, 1), MPI_ERR_UNSUPPORTED_OPERATION, plain.path()));
  int flag = 1;
  TUTTI_OK(MPI_File_get_atomicity(file, &flag));
  EXPECT_EQ(flag, 0);
  TUTTI_OK(MPI_File_set_atomicity(file, 0));
  const char letter = 'x';
  TUTTI_OK(
      MPI_File_write_at_all(file, test::world_rank(), &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
}

TEST(AtomicMode, WorksForReadersAndWritersOnly) {
  const SharedFile plain("one_way");
  MPI_File file = MPI_FILE_NULL;
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, plain.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                         MPI_INFO_NULL, &file));
  TUTTI_OK(MPI_File_set_atomicity(file, 1));
  const char letter = 'x';
  TUTTI_OK(
      MPI_File_write_at_all(file, test::world_rank(), &letter, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  MPI_File_close(&file);
  TUTTI_OK(MPI_File_open(MPI_COMM_WORLD, plain.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
  TUTTI_OK(MPI_File_set_atomicity(file, 1));
  char seen = '-';
  TUTTI_OK(MPI_File_read_at_all(file, test::world_rank(), &seen, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT_EQ(seen, 'x');
  seen = '-';
  TUTTI_OK(MPI_File_read_at(file, test::world_rank(), &seen, 1, MPI_CHAR, MPI_STATUS_IGNORE));
  EXPECT_EQ(seen, 'x');
  MPI_File_close(&file);
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
