// ranks: 1 2 3 4
// Atomic mode where accesses go on beside the program: each is whole, on every engine, beside other
// outstanding ones, blocking ones and those of other handles.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/atomic_file.hpp"
#include "support/engine.hpp"
#include "support/seed.hpp"
#include "support/shared_file.hpp"

namespace tutti {
namespace {

using test::AtomicFile;
using test::Engine;
using test::kPitch;
using test::kShapes;
using test::kSpan;
using test::Shape;
using test::SharedFile;
using test::world_rank;
using test::world_size;

// Nonblocking accesses of one file that are outstanding together.
class Outstanding {
 public:
  explicit Outstanding(AtomicFile& file) : file_(file) {}

  void write(char value, bool together) {
    MPI_Request* const request = next(value);
    const auto call = together ? MPI_File_iwrite_at_all : MPI_File_iwrite_at;
    EXPECT_EQ(call(file_.get(), 0, streams_.back()->data(), bytes(), MPI_BYTE, request),
              MPI_SUCCESS);
  }
  void read(bool together) {
    MPI_Request* const request = next('?');
    reads_.push_back(streams_.size() - 1);
    const auto call = together ? MPI_File_iread_at_all : MPI_File_iread_at;
    EXPECT_EQ(call(file_.get(), 0, streams_.back()->data(), bytes(), MPI_BYTE, request),
              MPI_SUCCESS);
  }
  // The values that the reads have found, in the order of their calls.
  std::string finish() {
    EXPECT_EQ(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
        MPI_SUCCESS);
    std::string found;
    for (const std::size_t read : reads_) found += file_.value_in(*streams_[read]);
    return found;
  }

 private:
  int bytes() const { return file_.shape().bytes(); }
  MPI_Request* next(char value) {
    streams_.push_back(std::make_unique<std::string>(static_cast<std::size_t>(bytes()), value));
    requests_.push_back(MPI_REQUEST_NULL);
    return &requests_.back();
  }

  AtomicFile& file_;
  std::vector<std::unique_ptr<std::string>> streams_;
  std::vector<MPI_Request> requests_;
  std::vector<std::size_t> reads_;  // which streams
};

class AtomicNonblocking : public testing::TestWithParam<Engine> {
 protected:
  // As long as every shape, so that no read meets the end of the file.
  void SetUp() override { file_.fill(std::string(kSpan + 2 * kPitch, 'z')); }
  AtomicFile open(MPI_Comm comm) {
    const OwnedInfo info = test::hints_for(GetParam());
    return AtomicFile(comm, file_.path(), info.get());
  }
  char value() { return static_cast<char>('a' + random_() % 26); }
  Shape shape() { return kShapes[random_() % std::size(kShapes)]; }

  std::uint64_t seed_ = test::test_seed("atomic", 20261117, world_rank() == 0);
  std::mt19937_64 random_{seed_ + static_cast<std::uint64_t>(world_rank())};
  SharedFile file_{"atomic_nonblocking"};
};

TEST_P(AtomicNonblocking, AccessesOfRanksAloneAreWhole) {
  AtomicFile file = open(MPI_COMM_WORLD);
  for (int round = 0; round < 4; ++round) {
    file.look_at(shape());
    Outstanding calls(file);
    for (int i = 0; i < 12; ++i) {
      if (random_() % 2 == 0)
        calls.write(value(), false);
      else
        calls.read(false);
      if (i % 4 == 3) file.read(false);  // meets the helper thread of the same rank
    }
    calls.finish();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// Later calls find what earlier ones have written, as one of the ranks wrote it, on every rank.
TEST_P(AtomicNonblocking, CollectiveAccessesAreOneAfterTheOther) {
  AtomicFile file = open(MPI_COMM_WORLD);
  for (int round = 0; round < 4; ++round) {
    file.look_at(shape());
    Outstanding calls(file);
    for (int i = 0; i < 4; ++i) {
      calls.write(static_cast<char>('a' + 4 * i + world_rank()), true);
      calls.read(true);
    }
    const std::string found = calls.finish();
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_GE(found[i], 'a' + 4 * static_cast<int>(i));
      EXPECT_LT(found[i], 'a' + 4 * static_cast<int>(i) + world_size());
    }
    std::string first = found;
    MPI_Bcast(first.data(), static_cast<int>(first.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
    EXPECT_EQ(found, first);
  }
}

// Even ranks access together, odd ranks each alone, the same bytes; half of them by blocking calls.
TEST_P(AtomicNonblocking, CollectiveAccessesAreWholeBesideOthers) {
  const int rank = world_rank();
  OwnedComm group;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, group.fill());
  const bool together = rank % 2 == 0;
  AtomicFile file = open(group.get());
  std::mt19937_64 same(seed_);  // even ranks decide alike
  auto& draws = together ? same : random_;
  for (int round = 0; round < 3; ++round) {
    file.look_at(shape());
    Outstanding calls(file);
    for (int i = 0; i < 8; ++i) switch (draws() % 4) {
        case 0:
          calls.write(value(), together);
          break;
        case 1:
          calls.read(together);
          break;
        case 2:
          file.write(value(), together);
          break;
        default:
          file.read(together);
      }
    calls.finish();
  }
}

TEST_P(AtomicNonblocking, SplitCollectivesAreWhole) {
  AtomicFile file = open(MPI_COMM_WORLD);
  for (int round = 0; round < 4; ++round) {
    file.look_at(shape());
    const int bytes = file.shape().bytes();
    const std::string mine(static_cast<std::size_t>(bytes), static_cast<char>('a' + world_rank()));
    std::string found(mine.size(), '?');
    TUTTI_OK(MPI_File_write_at_all_begin(file.get(), 0, mine.data(), bytes, MPI_BYTE));
    TUTTI_OK(MPI_File_write_at_all_end(file.get(), mine.data(), MPI_STATUS_IGNORE));
    TUTTI_OK(MPI_File_read_at_all_begin(file.get(), 0, found.data(), bytes, MPI_BYTE));
    TUTTI_OK(MPI_File_read_at_all_end(file.get(), found.data(), MPI_STATUS_IGNORE));
    char seen = file.value_in(found);
    EXPECT_GE(seen, 'a');
    EXPECT_LT(seen, 'a' + world_size());
    char first = seen;
    MPI_Bcast(&first, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    EXPECT_EQ(seen, first);
  }
}

// What was started in atomic mode stays atomic when the mode changes.
TEST_P(AtomicNonblocking, TheModeIsThatOfTheCall) {
  AtomicFile file = open(MPI_COMM_WORLD);
  file.look_at(kShapes[static_cast<std::size_t>(world_rank()) % std::size(kShapes)]);
  for (int round = 0; round < 3; ++round) {
    Outstanding calls(file);
    calls.write(static_cast<char>('a' + world_rank()), true);
    calls.write(static_cast<char>('A' + world_rank()), false);
    TUTTI_OK(MPI_File_set_atomicity(file.get(), 0));
    calls.finish();
    MPI_Barrier(MPI_COMM_WORLD);
    TUTTI_OK(MPI_File_set_atomicity(file.get(), 1));
    const char seen = file.read(true);
    EXPECT_TRUE((seen >= 'a' && seen < 'a' + world_size()) ||
                (seen >= 'A' && seen < 'A' + world_size()))
        << seen;
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// A polled access that holds the lock lives by the thread that waits for another handle's.
TEST_P(AtomicNonblocking, AHandleMayWaitForTheLockOfAPolledOne) {
  AtomicFile file = open(MPI_COMM_WORLD);
  const OwnedInfo polled = test::hints_for(Engine::polled);
  AtomicFile other(MPI_COMM_WORLD, file_.path(), polled.get());
  for (int round = 0; round < 10; ++round) {
    Outstanding others(other);
    Outstanding calls(file);
    others.write('o', true);
    calls.write('c', true);
    calls.write('d', false);
    calls.finish();
    others.finish();
  }
}

INSTANTIATE_TEST_SUITE_P(Each, AtomicNonblocking,
                         testing::Values(Engine::shared, Engine::threaded, Engine::polled),
                         [](const auto& chosen) { return test::name_of(chosen.param); });

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
