#include "mpi/meeting.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "mpi/owned.hpp"
#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

// By MPI calls, and through a block.
class Meeting : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto made = duplicate_comm(MPI_COMM_WORLD);
    ASSERT_TRUE(made.has_value());
    comm_ = std::move(*made);
    if (!GetParam()) return;
    auto block = NodeBlock::create(comm_.get(), kMeetingBytes);
    ASSERT_TRUE(block.has_value() && block->available());
    ASSERT_TRUE(attach_block(comm_.get(), std::move(*block)).has_value());
  }
  OwnedComm comm_;
};

TEST_P(Meeting, FindsTheLeastAndTheLargest) {
  for (int turn = 0; turn < 50; ++turn) {
    std::array<std::int64_t, 3> least{world_rank() + turn, -world_rank(), -5};
    ASSERT_TRUE(least_of_all(comm_.get(), least).has_value());
    EXPECT_EQ(least, (std::array<std::int64_t, 3>{turn, 1 - world_size(), -5}));
    const auto rank = static_cast<std::uint64_t>(world_rank());
    std::array<std::uint64_t, 2> largest{rank, ~rank};
    ASSERT_TRUE(largest_of_all(comm_.get(), largest).has_value());
    EXPECT_EQ(largest[0], static_cast<std::uint64_t>(world_size() - 1));
    EXPECT_EQ(largest[1], ~std::uint64_t{0});
  }
}

TEST_P(Meeting, TellsAndGathersShortAndLongWords) {
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{kMeetingBytes}, std::size_t{5000}}) {
    std::string word(bytes, static_cast<char>('a' + world_rank()));
    const auto ranks = static_cast<std::size_t>(world_size());
    std::string all(bytes * ranks, '?');
    ASSERT_TRUE(gather_from_all(comm_.get(), std::as_bytes(std::span(word)),
                                reinterpret_cast<std::byte*>(all.data()))
                    .has_value());
    for (std::size_t r = 0; r < ranks; ++r)
      EXPECT_EQ(all.substr(r * bytes, bytes), std::string(bytes, static_cast<char>('a' + r)));
    ASSERT_TRUE(tell_from_first(comm_.get(), std::as_writable_bytes(std::span(word))).has_value());
    EXPECT_EQ(word, std::string(bytes, 'a'));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, Meeting, testing::Bool(), [](const auto& chosen) {
  return std::string(chosen.param ? "through_a_block" : "by_messages");
});

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
