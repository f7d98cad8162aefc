// ranks: 1 2 3 4 5 7 8
// The in-place vector as an application uses it.
#include "tutti/inplace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>

#include "cxx/test_file.hpp"
#include "support/mpi_main.hpp"
#include "tutti/tutti.hpp"

namespace tutti::io {
namespace {

using test::world_rank;
using test::world_size;

constexpr Mode kReadWrite{.read = true, .write = true, .create = true};

std::vector<int> ints_of(const TestFile& name) {
  const std::vector<std::byte> bytes = name.content();
  std::vector<int> values(bytes.size() / sizeof(int));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(int));
  return values;
}

int phases_for(int ranks) { return std::bit_width(static_cast<unsigned>(ranks - 1)); }

// The worked example of the papers: 16 elements in blocks of one.
TEST(Inplace, TheWorkedExample) {
  const TestFile name("example");
  auto file = File::open(MPI_COMM_WORLD, name.path(), kReadWrite);
  ASSERT_TRUE(file);
  auto x = InplaceVector::block_cyclic(MPI_COMM_WORLD, {16, 1, sizeof(int)});
  ASSERT_TRUE(x) << x.error().message();
  if (world_size() == 4) {
    EXPECT_EQ(x->region_elements(), 8);
    EXPECT_EQ(x->alloc_offset(), (std::array{0, 2, 2, 4}[static_cast<std::size_t>(world_rank())]));
  }
  const auto own = x->own<int>();
  for (std::size_t i = 0; i < own.size(); ++i)
    own[i] = world_rank() + static_cast<int>(i) * world_size();
  const auto written = x->write(*file, 0);
  ASSERT_TRUE(written) << written.error().message();
  std::vector<int> expected(16);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(ints_of(name), expected);
  EXPECT_EQ(x->counters().descriptors_sent, 0);
  EXPECT_NE(x->text().find("region of"), std::string::npos);
}

// A vector outlives files: one inspection for all of them, at any position.
TEST(Inplace, OneVectorManyFilesAndPositions) {
  const std::int64_t elements = 1000;
  auto x = InplaceVector::block_cyclic(MPI_COMM_WORLD, {elements, 3, sizeof(int)});
  ASSERT_TRUE(x);
  for (int step = 0; step < 3; ++step) {
    const TestFile name("step" + std::to_string(step));
    auto file = File::open(MPI_COMM_WORLD, name.path(), kReadWrite, {{"cb_buffer_size", "512"}});
    ASSERT_TRUE(file);
    const auto own = x->own<int>();
    for (std::size_t i = 0; i < own.size(); ++i) {
      const int index = static_cast<int>(i);
      own[i] = step * 100'000 + (index / 3 * world_size() + world_rank()) * 3 + index % 3;
    }
    const std::int64_t position = step * static_cast<std::int64_t>(sizeof(int));
    ASSERT_TRUE(x->write(*file, position));
    std::vector<int> expected(static_cast<std::size_t>(elements));
    std::iota(expected.begin(), expected.end(), step * 100'000);
    expected.insert(expected.begin(), static_cast<std::size_t>(step), 0);
    EXPECT_EQ(ints_of(name), expected);

    const std::vector<int> mine(own.begin(), own.end());
    std::fill(own.begin(), own.end(), -1);
    ASSERT_TRUE(x->read(*file, position));
    EXPECT_TRUE(std::equal(own.begin(), own.end(), mine.begin(), mine.end()));

    const InplaceVector::Times times = x->times();
    ASSERT_EQ(std::ssize(times.phases_s), phases_for(world_size()));
    for (const double phase_s : times.phases_s) EXPECT_GT(phase_s, 0);
    if (x->own_elements() > 0) {
      EXPECT_GT(times.access_s, 0);
    }
    EXPECT_EQ(file->counters().descriptors_sent, 0);
    EXPECT_EQ(file->counters().collective_calls, 2);
  }
}

// Rank r holds the elements r, r + P, …, in descending order: no formula knows that.
TEST(Inplace, AnyDistributionByTuples) {
  const int each = 40;
  const TestFile name("tuples");
  auto file = File::open(MPI_COMM_WORLD, name.path(), kReadWrite);
  ASSERT_TRUE(file);
  std::vector<Tuple> mine;
  for (int i = each - 1; i >= 0; --i) mine.push_back({world_rank() + i * world_size(), 1});
  auto x = InplaceVector::tuples(MPI_COMM_WORLD, mine, sizeof(int));
  ASSERT_TRUE(x) << x.error().message();
  EXPECT_EQ(x->own_elements(), each);
  const auto own = x->own<int>();
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = static_cast<int>(mine[i].offset) * 3;
  const Counters inspected = x->counters();
  EXPECT_LE(inspected.descriptors_sent, phases_for(world_size()));
  EXPECT_EQ(inspected.descriptors_sent > 0, world_size() > 1);
  for (int run = 0; run < 3; ++run) ASSERT_TRUE(x->write(*file, 0));
  EXPECT_EQ(x->counters().descriptors_sent, inspected.descriptors_sent);
  std::vector<int> expected(static_cast<std::size_t>(each * world_size()));
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<int>(i) * 3;
  EXPECT_EQ(ints_of(name), expected);
  MPI_Barrier(MPI_COMM_WORLD);
  std::fill(own.begin(), own.end(), -1);
  ASSERT_TRUE(x->read(*file, 0));
  for (std::size_t i = 0; i < own.size(); ++i)
    EXPECT_EQ(own[i], static_cast<int>(mine[i].offset) * 3);
}

TEST(Inplace, WrongArgumentsAreErrors) {
  using tutti::io::ErrorKind;
  const bool last = world_rank() == world_size() - 1;
  const auto kind = [](const auto& outcome) {
    return outcome ? std::nullopt : std::optional(outcome.error().kind());
  };
  EXPECT_EQ(kind(InplaceVector::block_cyclic(MPI_COMM_NULL, {})), ErrorKind::invalid_comm);
  EXPECT_EQ(kind(InplaceVector::block_cyclic(MPI_COMM_WORLD, {last ? -1 : 1, 1, 1})),
            ErrorKind::invalid_argument);
  EXPECT_EQ(kind(InplaceVector::block_cyclic(MPI_COMM_WORLD, {10, 1, last ? 0 : 1})),
            ErrorKind::invalid_argument);
  const std::vector<Tuple> mine{{0, last ? -1 : 1}};
  EXPECT_EQ(kind(InplaceVector::tuples(MPI_COMM_WORLD, mine, 1)), ErrorKind::invalid_argument);

  const TestFile name("wrong");
  auto file = File::open(MPI_COMM_WORLD, name.path(), {.write = true, .create = true});
  ASSERT_TRUE(file);
  auto x = InplaceVector::block_cyclic(MPI_COMM_WORLD, {10, 1, 4});
  ASSERT_TRUE(x);
  EXPECT_EQ(kind(x->read(*file, 0)), ErrorKind::access_denied);
  EXPECT_EQ(kind(x->write(*file, last ? -1 : 0)), ErrorKind::invalid_argument);
  auto alone = InplaceVector::block_cyclic(MPI_COMM_SELF, {10, 1, 4});
  ASSERT_TRUE(alone);
  if (world_size() > 1) {
    EXPECT_EQ(kind(alone->write(*file, 0)), ErrorKind::invalid_comm);
  }
  ASSERT_TRUE(file->close());
  EXPECT_EQ(kind(x->write(*file, 0)), ErrorKind::invalid_handle);
}

}  // namespace
}  // namespace tutti::io

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
