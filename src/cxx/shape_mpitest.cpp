// ranks: 1
// Shapes describe the bytes they say, and wrong arguments become errors, not crashes.
#include "tutti/shape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "cxx/values.hpp"
#include "pattern/shapes.hpp"

namespace tutti::io {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 60;

std::vector<std::int64_t> offsets(const Shape& shape) {
  std::vector<std::int64_t> list;
  const Pattern pattern = pattern_of(shape);
  for (std::int64_t k = 0; k < pattern.size(); ++k) list.push_back(pattern.offset_of(k));
  return list;
}

using Offsets = std::vector<std::int64_t>;

TEST(Shape, DescribesItsBytesInOrder) {
  EXPECT_EQ(offsets(Shape()), Offsets{});
  EXPECT_EQ(offsets(Shape::run(3, 4)), (Offsets{4, 5, 6}));
  EXPECT_EQ(offsets(Shape::repeat(3, -2, Shape::run(1, 5))), (Offsets{5, 3, 1}));
  const std::array<Extent, 3> runs{{{7, 1}, {2, 2}, {9, 0}}};
  EXPECT_EQ(offsets(Shape::tuples(runs)), (Offsets{7, 2, 3}));
  const std::array<Shape, 2> parts{Shape::run(1, 8), Shape::run(2).shifted(3)};
  EXPECT_EQ(offsets(Shape::sequence(parts)), (Offsets{8, 3, 4}));
  const Shape moved = Shape::repeat(2, 4, Shape::run(2)).shifted(10);
  EXPECT_EQ(moved.bytes(), 4);
  EXPECT_EQ(moved.lower(), 10);
  EXPECT_EQ(moved.upper(), 16);
  EXPECT_FALSE(moved.error().has_value());
}

TEST(Shape, ArraysAreThoseOfTheDatatypeConstructors) {
  const std::array<std::int64_t, 2> full{4, 3};
  const std::array<std::int64_t, 2> sizes{2, 2};
  const std::array<std::int64_t, 2> starts{1, 1};
  EXPECT_EQ(offsets(Shape::subarray({full, sizes, starts}, 1)), (Offsets{4, 5, 7, 8}));
  EXPECT_EQ(offsets(Shape::subarray({full, sizes, starts, Order::fortran}, 1)),
            (Offsets{5, 6, 9, 10}));
  const std::array<DarrayDim, 2> dims{{{4, Deal::block, 0, 2}, {4, Deal::cyclic, 1, 2}}};
  EXPECT_EQ(offsets(Shape::darray({dims, 3}, 1)), (Offsets{9, 11, 13, 15}));
  EXPECT_EQ(offsets(Shape::darray({dims, 1, Order::fortran}, 1)), (Offsets{4, 5, 12, 13}));
  EXPECT_EQ(offsets(Shape::block_cyclic({2, 1, 7, 2, 1})), (Offsets{2, 3, 6}));
}

TEST(Shape, BlocksLongerThanTheirVectorHoldAllOfIt) {
  for (const std::int64_t block : {std::int64_t{5}, std::int64_t{100}, kHuge}) {
    EXPECT_EQ(Shape::block_cyclic({4, 0, 5, block, 8}).bytes(), 40);
    EXPECT_EQ(Shape::block_cyclic({4, 3, 5, block, 8}).bytes(), 0);
  }
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    const Shape share = Shape::block_cyclic({3, rank, 1000, 7, 4});
    EXPECT_EQ(pattern_of(share), tutti::block_cyclic({3, rank, 1000, 7, 4}));
  }
}

TEST(Shape, WrongArgumentsAreErrors) {
  const std::array<std::int64_t, 2> full{4, 3};
  const std::array<std::int64_t, 2> sizes{2, 2};
  const std::array<std::int64_t, 2> outside{1, 2};
  const std::array<std::int64_t, 2> immense{kHuge, kHuge};
  const std::array<Extent, 1> negative{{{0, -1}}};
  const std::array<DarrayDim, 1> short_blocks{{{10, Deal::block, 2, 3}}};
  const std::array<DarrayDim, 1> undealt{{{10, Deal::none, 0, 3}}};
  const std::array<DarrayDim, 1> nobody{{{10, Deal::block, 0, 0}}};
  const std::array<DarrayDim, 1> sound{{{10, Deal::block, 0, 3}}};
  const std::array<DarrayDim, 2> immense_dims{{{kHuge, Deal::cyclic, 1, 2}, {kHuge}}};
  const std::vector<Shape> wrong{
      Shape::run(-1),
      Shape::run(kHuge, 3 * kHuge),
      Shape::repeat(-1, 4, Shape::run(1)),
      Shape::repeat(kHuge, 4, Shape::run(1)),
      Shape::repeat(kHuge, 0, Shape::run(4)),
      Shape::tuples(negative),
      Shape::subarray({full, sizes, outside}, 1),
      Shape::subarray({full, sizes, std::span(outside).first(1)}, 1),
      Shape::subarray({full, sizes, sizes}, 0),
      Shape::subarray({immense, sizes, sizes}, 1),
      Shape::darray({short_blocks, 0}, 1),
      Shape::darray({undealt, 0}, 1),
      Shape::darray({nobody, 0}, 1),
      Shape::darray({sound, 3}, 1),
      Shape::darray({sound, -1}, 1),
      Shape::darray({sound, 0}, 0),
      Shape::darray({immense_dims, 0}, 1),
      Shape::block_cyclic({2, 2, 10, 1, 1}),
      Shape::block_cyclic({2, 0, -1, 1, 1}),
      Shape::block_cyclic({2, 0, 10, 0, 1}),
      Shape::block_cyclic({2, 0, kHuge, 1, 8}),
      Shape::run(1).shifted(3 * kHuge),
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SCOPED_TRACE(i);
    const auto error = wrong[i].error();
    ASSERT_TRUE(error.has_value());
    EXPECT_EQ(error->kind(), ErrorKind::invalid_argument);
    EXPECT_FALSE(error->message().empty());
    EXPECT_EQ(wrong[i].bytes(), 0);
    // What is made from a wrong shape is wrong for the same reason.
    const std::array<Shape, 2> parts{Shape::run(1), wrong[i]};
    EXPECT_EQ(Shape::sequence(parts).error()->message(), error->message());
    EXPECT_EQ(Shape::repeat(2, 8, wrong[i]).error()->message(), error->message());
    EXPECT_EQ(wrong[i].shifted(1).error()->message(), error->message());
  }
}

TEST(OutcomeDeathTest, TakingAValueThatIsNotThereEndsTheProgramWithTheReason) {
  const Outcome<int> failed = public_error({tutti::ErrorKind::io, "the disk is on fire"});
  EXPECT_DEATH((void)*failed, "tutti: the disk is on fire");
  const Outcome<void> nothing = public_error({tutti::ErrorKind::io, "the disk is on fire"});
  EXPECT_DEATH(nothing.value(), "tutti: the disk is on fire");
}

}  // namespace
}  // namespace tutti::io

int main(int argc, char** argv) {
  testing::GTEST_FLAG(death_test_style) = "fast";
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
