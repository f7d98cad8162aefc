// ranks: 1 2 3 4 5 7 8
// Plans that the application holds: right bytes at every position, one inspection for many runs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "cxx/test_file.hpp"
#include "cxx/values.hpp"
#include "mpi/agree.hpp"
#include "support/mpi_main.hpp"
#include "support/random_access.hpp"
#include "support/seed.hpp"
#include "tutti/tutti.hpp"

namespace tutti::io {
namespace {

using test::world_rank;
using test::world_size;
using Bytes = std::vector<std::byte>;

constexpr Mode kReadWrite{.read = true, .write = true, .create = true};

Shape shape_of(const Pattern& pattern) {
  return Shape(std::make_shared<const detail::ShapeData>(detail::ShapeData{pattern, std::nullopt}));
}

Bytes noise(std::int64_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes filled(static_cast<std::size_t>(bytes));
  for (std::byte& b : filled) b = static_cast<std::byte>(random());
  return filled;
}

// All ranks stop together where one found a difference.
void expect_everywhere(bool right, const char* what) {
  EXPECT_TRUE(right) << what;
  const Status all = agree(MPI_COMM_WORLD, right ? std::nullopt : std::optional(tutti::Error{}));
  ASSERT_TRUE(all.has_value());
}

struct Transport {
  const char* strategy;
  const char* transport;
};
class HeldPlans : public ::testing::TestWithParam<Transport> {
 protected:
  Outcome<File> open(const TestFile& name, std::int64_t buffer_bytes) const {
    return File::open(
        MPI_COMM_WORLD, name.path(), kReadWrite,
        {{"tutti_strategy", GetParam().strategy},
         {"tutti_transport", GetParam().transport},
         {"cb_buffer_size", std::to_string(std::max<std::int64_t>(buffer_bytes, 1))}});
  }
};

// Random shapes of all ranks, written at some positions and read at others.
TEST_P(HeldPlans, MoveTheBytesOfTheReferenceAtEveryPosition) {
  const std::uint64_t first_seed = test::test_seed("plans", 100, world_rank() == 0);
  for (std::uint64_t seed = first_seed; seed < first_seed + 4; ++seed) {
    SCOPED_TRACE(seed);
    const auto set =
        tutti::testing::make_access_set(seed, world_size(), tutti::testing::Overlap::forbidden);
    const TestFile name("plans");
    auto file = open(name, set.buffer_bytes);
    ASSERT_TRUE(file) << file.error().message();
    const auto& mine = set.parts[static_cast<std::size_t>(world_rank())];
    const Shape in_file =
        shape_of(mine.file.stream.slice(mine.file.first, mine.file.first + mine.file.bytes));
    const Shape in_memory = shape_of(mine.memory.slice(0, mine.file.bytes));
    auto writing = file->plan_write(in_file, in_memory);
    auto reading = file->plan_read(in_file, in_memory);
    ASSERT_TRUE(writing && reading);
    EXPECT_EQ(writing->bytes(), mine.file.bytes);
    EXPECT_NE(writing->text().find(GetParam().strategy), std::string::npos) << writing->text();
    Bytes expected;
    for (const std::int64_t position : {std::int64_t{0}, std::int64_t{70'000}, std::int64_t{13}}) {
      for (int r = 0; r < world_size(); ++r) {
        const auto& part = set.parts[static_cast<std::size_t>(r)];
        const Bytes memory =
            noise(part.memory_bytes, seed + static_cast<std::uint64_t>(1000 * r + position));
        for (std::size_t k = 0; k < part.files.size(); ++k) {
          const auto at = static_cast<std::size_t>(part.files[k] + position);
          if (at >= expected.size()) expected.resize(at + 1);
          expected[at] = memory[static_cast<std::size_t>(part.memories[k])];
        }
      }
      const Bytes memory = noise(mine.memory_bytes,
                                 seed + static_cast<std::uint64_t>(1000 * world_rank() + position));
      writing->start(memory.data(), position);
      const auto moved = writing->wait();
      ASSERT_TRUE(moved) << moved.error().message();
      EXPECT_EQ(*moved, mine.file.bytes);
      expect_everywhere(name.content() == expected, "the file");
    }
    // The last position is read whole, one beyond the file not at all.
    Bytes memory = noise(mine.memory_bytes, 1);
    Bytes wanted = memory;
    for (std::size_t k = 0; k < mine.files.size(); ++k)
      wanted[static_cast<std::size_t>(mine.memories[k])] =
          expected[static_cast<std::size_t>(mine.files[k] + 13)];
    const auto moved = reading->run(memory.data(), 13);
    ASSERT_TRUE(moved) << moved.error().message();
    EXPECT_EQ(*moved, mine.file.bytes);
    expect_everywhere(memory == wanted, "memory");
    EXPECT_EQ(*reading->run(memory.data(), std::ssize(expected)), 0);
    expect_everywhere(memory == wanted, "memory after reading nothing");
    EXPECT_TRUE(file->close());
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, HeldPlans,
                         ::testing::Values(Transport{"two-phase", "auto"},
                                           Transport{"multi-phase", "messages"},
                                           Transport{"list", "auto"}));

class Plans : public ::testing::Test {
 protected:
  Plans()
      : name_("plan"),
        file_(File::open(MPI_COMM_WORLD, name_.path(), kReadWrite,
                         {{"tutti_strategy", "two-phase"}})) {}

  static Shape share(std::int64_t block) {
    return Shape::block_cyclic({world_size(), world_rank(), 4096, block, 4});
  }

  TestFile name_;
  Outcome<File> file_;
};

TEST_F(Plans, OneInspectionServesManyRuns) {
  ASSERT_TRUE(file_);
  auto plan = file_->plan_write(share(3));
  ASSERT_TRUE(plan);
  const Counters planned = file_->counters();
  EXPECT_EQ(planned.plan_misses, 1);
  EXPECT_EQ(planned.device_operations, 0);
  // More plans than the engine's own cache holds do not push this one out.
  for (std::int64_t block = 4; block < 44; ++block) ASSERT_TRUE(file_->plan_write(share(block)));
  const Counters before = file_->counters();
  const Bytes memory = noise(plan->bytes() + 1, 5);
  for (std::int64_t run = 0; run < 10; ++run)
    ASSERT_EQ(*plan->run(memory.data(), run * 4096 * 4), plan->bytes());
  const Counters after = file_->counters();
  EXPECT_EQ(after.collective_calls, before.collective_calls + 10);
  EXPECT_EQ(after.plan_hits, before.plan_hits + 10);
  EXPECT_EQ(after.plan_misses, before.plan_misses);
  EXPECT_EQ(after.descriptors_sent, before.descriptors_sent);
  EXPECT_EQ(after.descriptor_bytes, before.descriptor_bytes);
  EXPECT_EQ(after.inspect_s, before.inspect_s);
  EXPECT_EQ(*file_->size(), 10 * 4096 * 4);
}

// With several ranks somebody has to describe a new shape, so the counter above can move.
TEST_F(Plans, InspectionsSendDescriptors) {
  ASSERT_TRUE(file_);
  ASSERT_TRUE(file_->plan_write(share(3)));
  std::int64_t sent = file_->counters().descriptors_sent;
  MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(sent >= 1, world_size() > 1);
}

TEST_F(Plans, WrongShapesOnOneRankFailOnAll) {
  ASSERT_TRUE(file_);
  const bool last = world_rank() == world_size() - 1;
  const auto refused = file_->plan_write(last ? Shape::run(-1) : Shape::run(8));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::invalid_argument);
  EXPECT_NE(refused.error().message().find("negative length"), std::string_view::npos);
  EXPECT_NE(refused.error().message().find(name_.path()), std::string_view::npos);
  const auto unequal = file_->plan_read(Shape::run(8), last ? Shape::run(7) : Shape::run(8));
  ASSERT_FALSE(unequal);
  EXPECT_EQ(unequal.error().kind(), ErrorKind::invalid_argument);
  const auto below = file_->plan_read(last ? Shape::run(8, -1) : Shape::run(8));
  ASSERT_FALSE(below);
  const auto memory = file_->plan_read(Shape::run(8), last ? Shape::run(-8) : Shape::run(8));
  ASSERT_FALSE(memory);
}

TEST_F(Plans, WrongRunsFailOnAllRanksAndThePlanStaysGood) {
  ASSERT_TRUE(file_);
  auto plan = file_->plan_write(share(1));
  auto other = file_->plan_write(share(1));
  ASSERT_TRUE(plan && other);
  const Bytes memory = noise(plan->bytes() + 1, 6);
  const bool last = world_rank() == world_size() - 1;
  const auto kind = [](const Outcome<std::int64_t>& outcome) {
    return outcome ? std::nullopt : std::optional(outcome.error().kind());
  };
  EXPECT_EQ(kind(plan->run(last ? nullptr : memory.data(), 0)), ErrorKind::invalid_buffer);
  EXPECT_EQ(kind(plan->run(memory.data(), last ? -1 : 0)), ErrorKind::invalid_argument);
  if (!last) plan->start(memory.data(), 0);
  EXPECT_EQ(kind(plan->wait()), ErrorKind::invalid_argument);
  if (world_size() > 1) {
    EXPECT_EQ(kind(plan->run(memory.data(), last ? 4 : 0)), ErrorKind::not_same);
    EXPECT_EQ(kind((last ? other : plan)->run(memory.data(), 0)), ErrorKind::not_same);
  }
  expect_everywhere(*file_->size() == 0, "nothing is written");
  EXPECT_EQ(*plan->run(memory.data(), 0), plan->bytes());
  EXPECT_EQ(*file_->size(), 4096 * 4);
  if (last) plan->start(memory.data(), 0);  // once more than the others: what was begun goes on
  plan->start(memory.data(), 0);
  EXPECT_EQ(kind(plan->wait()), last ? std::optional(ErrorKind::invalid_argument) : std::nullopt);
  EXPECT_EQ(*plan->run(memory.data(), 0), plan->bytes());
}

// Ranks start and wait in the same order, but not at the same distance.
TEST_F(Plans, AWaitNeedsNoRunThatWasStartedLater) {
  ASSERT_TRUE(file_);
  auto first = file_->plan_write(share(1));
  auto second = file_->plan_write(share(1));
  ASSERT_TRUE(first && second);
  const Bytes memory = noise(first->bytes(), 8);
  const bool early = world_rank() == 0;
  first->start(memory.data(), 0);
  if (early) second->start(memory.data(), 1 << 20);
  EXPECT_EQ(*first->wait(), first->bytes());
  if (!early) second->start(memory.data(), 1 << 20);
  EXPECT_EQ(*second->wait(), second->bytes());
}

TEST_F(Plans, StartedPlansMoveBytesBesideTheProgramInTheirOrder) {
  ASSERT_TRUE(file_);
  auto first = file_->plan_write(share(1));
  auto second = file_->plan_write(share(1));
  auto reading = file_->plan_read(share(1));
  ASSERT_TRUE(first && second && reading);
  const auto rank = static_cast<std::uint64_t>(world_rank());
  const Bytes old_bytes = noise(first->bytes(), 20 + rank);
  const Bytes new_bytes = noise(first->bytes(), 60 + rank);
  const Bytes elsewhere = noise(first->bytes(), 90 + rank);
  Bytes found(old_bytes.size());
  for (int round = 0; round < 20; ++round) {
    first->start(old_bytes.data(), 0);
    second->start(new_bytes.data(), 0);
    reading->start(found.data(), 0);
    EXPECT_EQ(*second->wait(), second->bytes());
    second->start(elsewhere.data(), 1 << 20);
    EXPECT_EQ(*reading->wait(), reading->bytes());
    expect_everywhere(found == new_bytes, "the later of two runs");
    EXPECT_EQ(*first->wait(), first->bytes());
    EXPECT_EQ(*second->wait(), second->bytes());
    EXPECT_EQ(*reading->run(found.data(), 1 << 20), reading->bytes());
    expect_everywhere(found == elsewhere, "what a plan wrote next");
  }
}

// Storage that takes its time, and a program that does not call Tutti meanwhile.
TEST_F(Plans, StartReturnsBeforeStorageIsDone) {
  auto slow = File::open(MPI_COMM_WORLD, "faulty:delay-us=100000:" + name_.path(),
                         {.read = true, .write = true, .create = true});
  ASSERT_TRUE(slow) << slow.error().message();
  auto plan = slow->plan_write(share(1));
  ASSERT_TRUE(plan);
  const Bytes memory = noise(plan->bytes(), 3);
  const double began = MPI_Wtime();
  plan->start(memory.data(), 0);
  const double returned = MPI_Wtime();
  EXPECT_EQ(*plan->wait(), plan->bytes());
  const double ended = MPI_Wtime();
  EXPECT_LT(returned - began, (ended - began) / 2);
  EXPECT_TRUE(slow->close());
}

TEST_F(Plans, RanksWithoutBytesTakePart) {
  ASSERT_TRUE(file_);
  auto plan = file_->plan_write(world_rank() == 0 ? Shape::run(1000) : Shape());
  ASSERT_TRUE(plan);
  const Bytes memory = noise(1000, 7);
  EXPECT_EQ(*plan->run(world_rank() == 0 ? memory.data() : nullptr, 50),
            world_rank() == 0 ? 1000 : 0);
  EXPECT_EQ(*file_->size(), 1050);
  EXPECT_FALSE(plan->text().empty());
}

TEST_F(Plans, OneDirectionOnAllRanks) {
  ASSERT_TRUE(file_);
  if (world_size() == 1) return;
  const auto kind = world_rank() == 0 ? file_->plan_write(share(1)).error().kind()
                                      : file_->plan_read(share(1)).error().kind();
  EXPECT_EQ(kind, ErrorKind::not_same);
}

}  // namespace
}  // namespace tutti::io

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
