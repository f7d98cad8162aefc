// ranks: 1 2 3 4 5 7 8
// Opening, closing and what a file knows of itself; everything that goes wrong is a value.
#include "tutti/file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <utility>

#include "cxx/file_state.hpp"
#include "cxx/test_file.hpp"
#include "support/mpi_main.hpp"

namespace tutti::io {
namespace {

using test::world_rank;
using test::world_size;

constexpr Mode kReadWrite{.read = true, .write = true, .create = true};

TEST(File, AMissingFileIsAnErrorThatNamesIt) {
  const TestFile name("missing");
  const auto opened = File::open(MPI_COMM_WORLD, name.path(), {.read = true});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind(), ErrorKind::no_such_file);
  EXPECT_NE(opened.error().message().find(name.path()), std::string_view::npos);
}

TEST(File, WrongArgumentsAreErrorsOnAllRanks) {
  const TestFile name("arguments");
  const auto kind_of = [&](MPI_Comm comm, const Mode& mode, std::initializer_list<Hint> hints) {
    const auto opened = File::open(comm, name.path(), mode, hints);
    return opened ? std::nullopt : std::optional(opened.error().kind());
  };
  EXPECT_EQ(kind_of(MPI_COMM_NULL, kReadWrite, {}), ErrorKind::invalid_comm);
  EXPECT_EQ(kind_of(MPI_COMM_WORLD, {}, {}), ErrorKind::invalid_amode);
  EXPECT_EQ(kind_of(MPI_COMM_WORLD, {.read = true, .create = true}, {}), ErrorKind::invalid_amode);
  EXPECT_EQ(kind_of(MPI_COMM_WORLD, kReadWrite, {{"no_such_hint", "1"}}), ErrorKind::invalid_info);
  EXPECT_EQ(kind_of(MPI_COMM_WORLD, kReadWrite, {{"cb_buffer_size", "much"}}),
            ErrorKind::invalid_info);
  // Wrong on the last rank only.
  const bool last = world_rank() == world_size() - 1;
  EXPECT_EQ(kind_of(MPI_COMM_WORLD, kReadWrite, {{last ? "no_such_hint" : "cb_nodes", "1"}}),
            ErrorKind::invalid_info);
  EXPECT_FALSE(std::ifstream(name.path()).good());
}

TEST(File, HintsOfTheFirstRankHoldForAll) {
  const TestFile name("hints");
  const std::string mine = world_rank() == 0 ? "two-phase" : "multi-phase";
  const auto file = File::open(MPI_COMM_WORLD, name.path(), kReadWrite,
                               {{"tutti_strategy", mine}, {"cb_buffer_size", "4096"}});
  ASSERT_TRUE(file);
  EXPECT_EQ(file->state()->engine->hints.strategy, "two-phase");
  EXPECT_EQ(file->state()->engine->hints.cb_buffer_size, 4096);
}

TEST(File, SizeResizeSync) {
  const TestFile name("size");
  auto file = File::open(MPI_COMM_WORLD, name.path(), kReadWrite);
  ASSERT_TRUE(file);
  EXPECT_EQ(*file->size(), 0);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(file->resize(1000));
  EXPECT_EQ(*file->size(), 1000);
  const auto negative = file->resize(-1);
  ASSERT_FALSE(negative);
  EXPECT_EQ(negative.error().kind(), ErrorKind::invalid_argument);
  EXPECT_TRUE(file->sync());
  EXPECT_TRUE(file->close());
}

TEST(File, ClosedAndMovedFilesAnswerWithErrors) {
  const TestFile name("closed");
  auto file = File::open(MPI_COMM_WORLD, name.path(), kReadWrite);
  ASSERT_TRUE(file);
  auto plan = file->plan_write(Shape::run(4, 4 * world_rank()));
  ASSERT_TRUE(plan);
  const int value = world_rank();
  EXPECT_EQ(*plan->run(&value, 0), 4);
  File moved = std::move(*file);
  EXPECT_EQ(file->close().error().kind(), ErrorKind::invalid_handle);
  EXPECT_EQ(file->size().error().kind(), ErrorKind::invalid_handle);
  EXPECT_TRUE(moved.close());
  EXPECT_EQ(moved.counters().collective_calls, 1);
  EXPECT_EQ(moved.close().error().kind(), ErrorKind::invalid_handle);
  EXPECT_EQ(moved.sync().error().kind(), ErrorKind::invalid_handle);
  EXPECT_EQ(moved.resize(1).error().kind(), ErrorKind::invalid_handle);
  EXPECT_EQ(moved.plan_read(Shape::run(1)).error().kind(), ErrorKind::invalid_handle);
  EXPECT_EQ(plan->run(&value, 0).error().kind(), ErrorKind::invalid_handle);
}

TEST(File, AFileThatGoesOutOfScopeIsClosedAndDeleted) {
  const TestFile name("scope");
  {
    Mode mode = kReadWrite;
    mode.delete_on_close = true;
    const auto file = File::open(MPI_COMM_WORLD, name.path(), mode);
    ASSERT_TRUE(file);
    EXPECT_TRUE(std::ifstream(name.path()).good());
  }
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(std::ifstream(name.path()).good());
}

TEST(File, PlansKeepToTheModeOfTheFile) {
  const TestFile name("modes");
  ASSERT_TRUE(File::open(MPI_COMM_WORLD, name.path(), kReadWrite)->close());
  auto reader = File::open(MPI_COMM_WORLD, name.path(), {.read = true});
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->plan_write(Shape::run(1)).error().kind(), ErrorKind::read_only);
  auto writer = File::open(MPI_COMM_WORLD, name.path(), {.write = true});
  ASSERT_TRUE(writer);
  EXPECT_EQ(writer->plan_read(Shape::run(1)).error().kind(), ErrorKind::access_denied);
}

}  // namespace
}  // namespace tutti::io

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
