// ranks: 1 2 3 4 5 7 8
// In-place multi-phase I/O between processes: files and vectors equal those of a plain reference.
#include "exec/inplace_run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <random>

#include "device/registry.hpp"
#include "exec/inplace_inspect.hpp"
#include "mpi/agree.hpp"
#include "strategy/inplace_irregular.hpp"
#include "strategy/inplace_regular.hpp"
#include "support/mpi_main.hpp"
#include "support/seed.hpp"

namespace tutti::inplace {
namespace {

using test::world_rank;
using test::world_size;
using Bytes = std::vector<std::byte>;

constexpr std::byte kOld{0xEE};

std::byte value_of(int rank, std::int64_t own_byte, int call) {
  return static_cast<std::byte>((own_byte * 31 + rank * 71 + call * 113) % 233);
}

// The distributions of all ranks: the same on every rank.
struct Vector {
  std::vector<Tuples> distributions;
  std::int64_t element_bytes = 1;
  std::int64_t chunk_bytes = 16;
  std::int64_t position = 0;

  std::int64_t end() const { return position + file_interval(distributions).last * element_bytes; }
};

class InplaceRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::int64_t id = getpid();
    MPI_Bcast(&id, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    path_ = "/dev/shm/tutti-inplace-" + std::to_string(id);
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) (void)remove_file(path_);
  }

  std::unique_ptr<OpenFile> open(std::int64_t chunk_bytes, const std::string& prefix = "") const {
    Hints hints;
    hints.cb_buffer_size = chunk_bytes;
    auto file = open_file(MPI_COMM_WORLD, prefix + path_,
                          {.read = true, .write = true, .create = true}, hints);
    EXPECT_TRUE(file.has_value()) << file.error().message;
    return file ? std::move(*file) : nullptr;
  }

  static void fill(OpenFile& file, const Bytes& contents) {
    if (file.rank == 0) {
      ASSERT_TRUE(file.device->resize(0).has_value());
      ASSERT_TRUE(file.device.write(0, contents).has_value());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // All ranks stop together where one found a difference.
  static void expect_everywhere(bool right, const char* what) {
    EXPECT_TRUE(right) << what;
    const Status all = agree(MPI_COMM_WORLD, right ? std::nullopt : std::optional(Error{}));
    ASSERT_TRUE(all.has_value());
  }

  std::string path_;
};

// Writes the vector twice and reads it back, with the plan of the calling rank.
void check_write_and_read(OpenFile& file, const Vector& vector, const InplacePlan& plan,
                          const std::function<void(bool, const char*)>& expect) {
  const auto schedule = make_schedule(plan, vector.element_bytes);
  ASSERT_TRUE(schedule.has_value());
  Bytes region(static_cast<std::size_t>(schedule->region_bytes) + 1);
  const std::int64_t own_bytes = plan.region.own_elements * vector.element_bytes;
  std::byte* const own = region.data() + plan.region.alloc_offset * vector.element_bytes;
  Bytes expected(static_cast<std::size_t>(vector.end()) + 5, kOld);
  StageTimes times;
  for (int call = 0; call < 2; ++call) {
    for (int r = 0; r < world_size(); ++r) {
      std::int64_t own_byte = 0;
      for (const Tuple& tuple : vector.distributions[static_cast<std::size_t>(r)])
        for (std::int64_t i = 0; i < tuple.length * vector.element_bytes; ++i)
          expected[static_cast<std::size_t>(vector.position + tuple.offset * vector.element_bytes +
                                            i)] = value_of(r, own_byte++, call);
    }
    for (std::int64_t i = 0; i < own_bytes; ++i) own[i] = value_of(world_rank(), i, call);
    const Status written =
        write_inplace({file, *schedule, region.data(), vector.position}, std::nullopt, times);
    ASSERT_TRUE(written.has_value()) << written.error().message;
    EXPECT_EQ(times.phases_s.size(), plan.phases.size());
    Bytes contents(expected.size() + 1);
    const auto got = file.device.read(0, contents);
    contents.resize(static_cast<std::size_t>(*got));
    expect(contents == expected, "the file");
    bool kept = true;
    for (std::int64_t i = 0; i < own_bytes; ++i)
      kept = kept && own[i] == value_of(world_rank(), i, call);
    expect(kept, "own elements after a write");
  }
  std::ranges::fill(region, std::byte{0x55});
  const Status read =
      read_inplace({file, *schedule, region.data(), vector.position}, std::nullopt, times);
  ASSERT_TRUE(read.has_value()) << read.error().message;
  bool right = true;
  std::int64_t own_byte = 0;
  for (const Tuple& tuple : vector.distributions[static_cast<std::size_t>(world_rank())])
    for (std::int64_t i = 0; i < tuple.length * vector.element_bytes; ++i)
      right = right &&
              own[own_byte++] == expected[static_cast<std::size_t>(
                                     vector.position + tuple.offset * vector.element_bytes + i)];
  expect(right, "own elements after a read");
}

TEST_F(InplaceRunTest, BlockCyclicVectorsOfAnySize) {
  std::mt19937_64 random(test::test_seed("cyclic", 20, world_rank() == 0));
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  for (int round = 0; round < 8; ++round) {
    SCOPED_TRACE(round);
    const CyclicVector x{below(500), world_size(), 1 + below(20)};
    Vector vector{{}, 1 + below(9), 1 + below(300), below(40)};
    for (int r = 0; r < world_size(); ++r) vector.distributions.push_back(x.tuples(r));
    auto file = open(vector.chunk_bytes);
    ASSERT_NE(file, nullptr);
    fill(*file, Bytes(static_cast<std::size_t>(vector.end()) + 5, kOld));
    check_write_and_read(*file, vector, *inspect_regular(x, world_rank()), expect_everywhere);
    EXPECT_TRUE(close_file(std::move(file)).has_value());
  }
}

// Elements in no order, with holes, and some of them on several ranks.
std::vector<Tuples> random_distributions(std::mt19937_64& random, bool overlapping) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  std::vector<Tuples> made(static_cast<std::size_t>(world_size()));
  std::int64_t offset = below(30);
  for (std::int64_t runs = below(120); runs > 0; --runs) {
    const Tuple run{offset, 1 + below(9)};
    offset += run.length + (below(4) == 0 ? below(6) : 0);
    if (below(10) == 0) continue;
    for (std::int64_t copies = overlapping ? 1 + below(2) : 1; copies > 0; --copies) {
      Tuples& mine = made[static_cast<std::size_t>(below(world_size()))];
      const bool has = std::ranges::find(mine, run) != mine.end();
      if (!has) mine.insert(below(2) == 0 ? mine.begin() : mine.end(), run);
    }
  }
  return made;
}

TEST_F(InplaceRunTest, TuplesWithHolesInAnyOrderAndOnSeveralRanks) {
  std::mt19937_64 random(test::test_seed("tuples", 21, world_rank() == 0));
  for (int round = 0; round < 10; ++round) {
    SCOPED_TRACE(round);
    Vector vector{random_distributions(random, round % 2 == 1), 1 + static_cast<int>(random() % 9),
                  1 + static_cast<int>(random() % 200), static_cast<int>(random() % 40)};
    Counters counters;
    const auto plan =
        inspect_tuples(MPI_COMM_WORLD, vector.distributions[static_cast<std::size_t>(world_rank())],
                       std::nullopt, counters);
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    const auto all = inspect_irregular(vector.distributions, file_interval(vector.distributions));
    expect_everywhere(*plan == (*all)[static_cast<std::size_t>(world_rank())], "the plan");
    EXPECT_LE(counters.descriptors_sent, phase_count(world_size()));
    auto file = open(vector.chunk_bytes);
    ASSERT_NE(file, nullptr);
    fill(*file, Bytes(static_cast<std::size_t>(vector.end()) + 5, kOld));
    check_write_and_read(*file, vector, *plan, expect_everywhere);
    EXPECT_TRUE(close_file(std::move(file)).has_value());
  }
}

// The papers' example: tuples that are really a block-cyclic vector give the formulas' descriptors.
TEST_F(InplaceRunTest, InspectorsAgreeOnRegularVectors) {
  for (const CyclicVector x : {CyclicVector{16, world_size(), 1}, CyclicVector{32, world_size(), 1},
                               CyclicVector{100, world_size(), 3}, CyclicVector{0, world_size(), 1},
                               CyclicVector{40'000, world_size(), 1}}) {
    Counters counters;
    const auto plan =
        inspect_tuples(MPI_COMM_WORLD, x.tuples(world_rank()), std::nullopt, counters);
    ASSERT_TRUE(plan.has_value());
    const auto regular = inspect_regular(x, world_rank());
    EXPECT_EQ(*plan, *regular) << inplace_plan_text(*plan) << inplace_plan_text(*regular);
    // What travels keeps the structure of the vector, whatever its length.
    EXPECT_LE(counters.descriptor_bytes, 200 * world_size());
  }
}

TEST_F(InplaceRunTest, ABadTupleOnOneRankFailsOnAll) {
  for (const Tuple bad : {Tuple{-1, 3}, Tuple{3, -1}, Tuple{std::int64_t{1} << 62, 1}}) {
    Tuples mine{{world_rank(), 1}};
    if (world_rank() == world_size() - 1) mine.push_back(bad);
    Counters counters;
    const auto plan = inspect_tuples(MPI_COMM_WORLD, mine, std::nullopt, counters);
    ASSERT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().kind, ErrorKind::invalid_argument);
  }
}

TEST_F(InplaceRunTest, WrongCallsFailOnAllRanksAndWriteNothing) {
  const CyclicVector x{64, world_size(), 1};
  const auto schedule = make_schedule(*inspect_regular(x, world_rank()), 4);
  ASSERT_TRUE(schedule.has_value());
  Bytes region(static_cast<std::size_t>(schedule->region_bytes) + 1);
  auto file = open(1 << 20);
  ASSERT_NE(file, nullptr);
  fill(*file, {});
  StageTimes times;
  const bool last = world_rank() == world_size() - 1;
  const auto kind_of = [&](std::int64_t position, const std::optional<Error>& refusal) {
    const Status done = write_inplace({*file, *schedule, region.data(), position}, refusal, times);
    return done ? std::nullopt : std::optional(done.error().kind);
  };
  EXPECT_EQ(kind_of(last ? -4 : 0, std::nullopt), ErrorKind::invalid_argument);
  EXPECT_EQ(kind_of(0, last ? std::optional(Error{ErrorKind::read_only, ""}) : std::nullopt),
            ErrorKind::read_only);
  if (world_size() > 1) {
    EXPECT_EQ(kind_of(last ? 4 : 0, std::nullopt), ErrorKind::not_same);
  }
  EXPECT_EQ(*file->device->size(), 0);
  MPI_Barrier(MPI_COMM_WORLD);

  // The file ends in the middle of the last process's part.
  fill(*file, Bytes(63 * 4));
  const Status read = read_inplace({*file, *schedule, region.data(), 0}, std::nullopt, times);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().kind, ErrorKind::io);
  EXPECT_NE(read.error().message.find(path_), std::string::npos);
  EXPECT_TRUE(close_file(std::move(file)).has_value());

  EXPECT_FALSE(make_schedule(*inspect_regular(x, world_rank()), 0).has_value());
  EXPECT_FALSE(make_schedule(*inspect_regular(x, world_rank()), std::int64_t{1} << 60).has_value());
}

TEST_F(InplaceRunTest, StorageThatFailsOnOneRankFailsOnAll) {
  const CyclicVector x{1000, world_size(), 1};
  const auto schedule = make_schedule(*inspect_regular(x, world_rank()), 1);
  Bytes region(static_cast<std::size_t>(schedule->region_bytes) + 1);
  StageTimes times;
  auto file = open(64, "faulty:fail-write-at=700,fail-read-at=300,errno=ENOSPC:");
  ASSERT_NE(file, nullptr);
  fill(*file, Bytes(100));
  const Status written = write_inplace({*file, *schedule, region.data(), 0}, std::nullopt, times);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().kind, ErrorKind::no_space);
  const Status read = read_inplace({*file, *schedule, region.data(), 0}, std::nullopt, times);
  ASSERT_FALSE(read.has_value());
  EXPECT_TRUE(close_file(std::move(file)).has_value());
}

}  // namespace
}  // namespace tutti::inplace

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
