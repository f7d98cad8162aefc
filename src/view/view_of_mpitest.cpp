// ranks: 1 2
#include "view/view_of.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "mpi/owned.hpp"
#include "pattern/blocks.hpp"
#include "support/mpi_main.hpp"
#include "support/random_types.hpp"
#include "support/seed.hpp"

namespace tutti {
namespace {

using test::RandomType;
using test::RandomTypes;
using test::TypeUse;

std::vector<std::int64_t> first_bytes(const Pattern& stream, std::int64_t count) {
  std::vector<std::int64_t> all;
  for_each_run(stream, 0, count, [&](Extent run) {
    for (std::int64_t i = 0; i < run.bytes; ++i) all.push_back(run.offset + i);
    return true;
  });
  return all;
}

// Tile after tile, as MPI-4.0 section 14.3 defines a view.
std::vector<std::int64_t> tiled_by_hand(const RandomType& type, std::int64_t displacement,
                                        std::int64_t tiles) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < tiles; ++i)
    for (const std::int64_t byte : type.bytes) all.push_back(displacement + i * type.extent + byte);
  return all;
}

void check_views(TypeUse use, std::uint64_t seed) {
  std::mt19937_64 random(seed + static_cast<std::uint64_t>(test::world_rank()));
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t type_seed = random();
    RandomTypes types(type_seed, {.use = use, .max_bytes = 512});
    const RandomType type = types.next();
    SCOPED_TRACE("seed of this type " + std::to_string(type_seed) + ": " + type.text);
    const auto displacement = static_cast<std::int64_t>(random() % 100);
    const auto view = view_of(displacement, MPI_BYTE, type.type.get());
    ASSERT_TRUE(view) << view.error().message;
    EXPECT_EQ(view->etype_bytes, 1);
    EXPECT_EQ(view->displacement, displacement);
    EXPECT_EQ(view->tile_extent, type.extent);
    const auto expected = tiled_by_hand(type, displacement, 4);
    ASSERT_EQ(first_bytes(view->stream, static_cast<std::int64_t>(expected.size())), expected);
    EXPECT_EQ(view->stream.empty(), type.bytes.empty());
    EXPECT_TRUE(use == TypeUse::file_read || view->stream.is_monotone());
  }
}

TEST(View, RandomFiletypesToWrite) {
  check_views(TypeUse::file_write, test::test_seed("views", 31, test::world_rank() == 0));
}
TEST(View, RandomFiletypesToRead) {
  check_views(TypeUse::file_read, test::test_seed("views", 32, test::world_rank() == 0));
}

TEST(View, WholeFile) {
  const auto view = view_of(0, MPI_BYTE, MPI_BYTE);
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->stream.is_contiguous());
  EXPECT_EQ(view->stream.offset_of(std::int64_t{1} << 50), std::int64_t{1} << 50);
  const auto shifted = view_of(100, MPI_DOUBLE, MPI_DOUBLE);
  ASSERT_TRUE(shifted);
  EXPECT_TRUE(shifted->stream.is_contiguous());
  EXPECT_EQ(shifted->stream.first(), 100);
  EXPECT_EQ(shifted->etype_bytes, 8);
}

TEST(View, BlockCyclicBeyondFourGigabytes) {
  OwnedType block;
  OwnedType tile;
  MPI_Type_contiguous(16, MPI_FLOAT, block.fill());
  MPI_Type_create_resized(block.get(), 0, 64 * 4, tile.fill());
  const auto view = view_of(64, MPI_FLOAT, tile.get());
  ASSERT_TRUE(view);
  const std::int64_t far = std::int64_t{1} << 40;
  EXPECT_EQ(view->stream.offset_of(far + 3), 64 + 4 * far + 3);
  EXPECT_EQ(view->stream.bytes_below(64 + 4 * far + 3), far + 3);
}

TEST(View, LowerBoundAboveZeroAndHoleAtTheEnd) {
  OwnedType inner;
  OwnedType tile;  // bytes 8..11 of each 20, lower bound 8
  const int length = 1;
  const MPI_Aint at = 8;
  MPI_Type_create_hindexed(1, &length, &at, MPI_INT, inner.fill());
  MPI_Type_create_resized(inner.get(), 8, 20, tile.fill());
  const auto view = view_of(1000, MPI_INT, tile.get());
  ASSERT_TRUE(view);
  EXPECT_EQ(first_bytes(view->stream, 9),
            (std::vector<std::int64_t>{1008, 1009, 1010, 1011, 1028, 1029, 1030, 1031, 1048}));
  EXPECT_TRUE(view->stream.is_monotone());
}

TEST(View, TilesSmallerThanTheirSpanInterleave) {
  OwnedType ends;
  OwnedType tile;  // bytes 0 and 10, every 2
  MPI_Type_create_hvector(2, 1, 10, MPI_BYTE, ends.fill());
  MPI_Type_create_resized(ends.get(), 0, 2, tile.fill());
  const auto view = view_of(0, MPI_BYTE, tile.get());
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_FALSE(view->stream.is_monotone());
  EXPECT_EQ(first_bytes(view->stream, 6), (std::vector<std::int64_t>{0, 10, 2, 12, 4, 14}));
}

TEST(View, TilesThatStayInPlace) {
  OwnedType tile;
  MPI_Type_create_resized(MPI_SHORT, 0, 0, tile.fill());
  const auto view = view_of(6, MPI_BYTE, tile.get());
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(first_bytes(view->stream, 4), (std::vector<std::int64_t>{6, 7, 6, 7}));
}

TEST(View, AFiletypeWithoutBytesIsAnEmptyStream) {
  OwnedType nothing;
  MPI_Type_contiguous(0, MPI_INT, nothing.fill());
  OwnedType spaced;
  MPI_Type_create_resized(nothing.get(), 0, 40, spaced.fill());
  for (const MPI_Datatype filetype : {nothing.get(), spaced.get()}) {
    const auto view = view_of(16, MPI_INT, filetype);
    ASSERT_TRUE(view) << view.error().message;
    EXPECT_TRUE(view->stream.empty());
    EXPECT_EQ(view->stream.size(), 0);
  }
}

TEST(View, EtypesWithHolesCountTheirDataBytes) {
  const auto view = view_of(0, MPI_DOUBLE_INT, MPI_DOUBLE_INT);
  ASSERT_TRUE(view) << view.error().message;
  EXPECT_EQ(view->etype_bytes, 12);
  EXPECT_EQ(view->stream.offset_of(12), 16);
}

void expect_refused(std::int64_t displacement, MPI_Datatype etype, MPI_Datatype filetype,
                    ErrorKind kind, const std::string& words) {
  const auto view = view_of(displacement, etype, filetype);
  ASSERT_FALSE(view) << words;
  EXPECT_EQ(view.error().kind, kind);
  EXPECT_NE(view.error().message.find(words), std::string::npos) << view.error().message;
}

TEST(View, WrongArgumentsAreNamed) {
  OwnedType nothing;
  OwnedType backward;
  OwnedType below;
  OwnedType receding;
  MPI_Type_contiguous(0, MPI_INT, nothing.fill());
  const int lengths[] = {1, 1};
  const int displacements[] = {4, 1};
  MPI_Type_indexed(2, lengths, displacements, MPI_INT, backward.fill());
  const int negative[] = {-3, 1};
  MPI_Type_indexed(2, lengths, negative, MPI_INT, below.fill());
  MPI_Type_create_resized(MPI_INT, 0, -8, receding.fill());
  constexpr auto type = ErrorKind::invalid_type;

  expect_refused(-1, MPI_BYTE, MPI_BYTE, ErrorKind::invalid_argument, "displacement -1");
  expect_refused(std::int64_t{1} << 61, MPI_BYTE, MPI_BYTE, ErrorKind::invalid_argument, "range");
  expect_refused(0, MPI_DATATYPE_NULL, MPI_BYTE, type, "etype: ");
  expect_refused(0, MPI_BYTE, MPI_DATATYPE_NULL, type, "filetype: ");
  expect_refused(0, nothing.get(), nothing.get(), type, "etype has no bytes");
  expect_refused(0, MPI_DOUBLE, MPI_INT, type, "not a whole number of etypes");
  expect_refused(0, MPI_INT, backward.get(), type, "filetype's displacements decrease");
  expect_refused(0, backward.get(), MPI_INT, type, "etype's displacements decrease");
  expect_refused(0, MPI_INT, below.get(), type, "filetype has a negative displacement (-12)");
  expect_refused(0, MPI_INT, receding.get(), type, "negative extent (-8)");
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
