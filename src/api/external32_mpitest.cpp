// Views in external32: file bytes against a byte-by-byte reference, and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/external32_reference.hpp"
#include "support/random_types.hpp"
#include "support/representation_file.hpp"
#include "support/seed.hpp"

namespace tutti {
namespace {

using test::in_file;
using test::is_error;
using test::overlaps_itself;
using test::quad_of;
using test::random_text;
using test::reversed;
using test::world_rank;
using test::world_size;

class External32 : public test::RepresentationFile {
 protected:
  External32() : RepresentationFile("external32") {}
};

struct SimpleType {
  MPI_Datatype type;
  std::size_t width;  // of the numbers inside
  bool host_packs = true;
};

std::vector<SimpleType> simple_types() {
  return {{MPI_BYTE, 1},
          {MPI_CHAR, 1},
          {MPI_SIGNED_CHAR, 1},
          {MPI_UNSIGNED_CHAR, 1},
          {MPI_SHORT, 2},
          {MPI_UNSIGNED_SHORT, 2},
          {MPI_INT, 4},
          {MPI_UNSIGNED, 4},
          {MPI_LONG, 8, false},
          {MPI_UNSIGNED_LONG, 8, false},
          {MPI_LONG_LONG, 8},
          {MPI_UNSIGNED_LONG_LONG, 8},
          {MPI_INT8_T, 1},
          {MPI_INT16_T, 2},
          {MPI_INT32_T, 4},
          {MPI_INT64_T, 8},
          {MPI_UINT8_T, 1},
          {MPI_UINT16_T, 2},
          {MPI_UINT32_T, 4},
          {MPI_UINT64_T, 8},
          {MPI_FLOAT, 4},
          {MPI_DOUBLE, 8},
          {MPI_C_BOOL, 1, false},
          {MPI_CXX_BOOL, 1, false},
          {MPI_AINT, 8, false},
          {MPI_OFFSET, 8, false},
          {MPI_COUNT, 8, false},
          {MPI_C_FLOAT_COMPLEX, 4, false},
          {MPI_C_COMPLEX, 4, false},
          {MPI_C_DOUBLE_COMPLEX, 8, false},
          {MPI_CXX_FLOAT_COMPLEX, 4, false},
          {MPI_CXX_DOUBLE_COMPLEX, 8, false},
          {MPI_2INT, 4, false},
          {MPI_FLOAT_INT, 4, false},
          {MPI_CHARACTER, 1},
          {MPI_LOGICAL, 4, false},
          {MPI_INTEGER, 4, false},
          {MPI_REAL, 4, false},
          {MPI_DOUBLE_PRECISION, 8, false},
          {MPI_COMPLEX, 4, false},
          {MPI_DOUBLE_COMPLEX, 8, false},
          {MPI_INTEGER2, 2, false},
          {MPI_INTEGER8, 8, false},
          {MPI_REAL4, 4, false},
          {MPI_REAL8, 8, false}};
}

TEST_F(External32, EveryPredefinedTypeOfEqualSize) {
  std::mt19937_64 random(test::test_seed("external32", 5) + static_cast<unsigned>(world_rank()));
  for (const SimpleType& simple : simple_types()) {
    int size = 0;
    MPI_Type_size(simple.type, &size);
    constexpr int kCount = 37;
    const std::string mine = random_text(random, static_cast<std::size_t>(size) * kCount);
    const std::string expected = reversed(mine, simple.width);
    TUTTI_OK(set_view(0, simple.type, simple.type));
    MPI_Aint extent = 0;
    TUTTI_OK(MPI_File_get_type_extent(handle_, simple.type, &extent));
    EXPECT_EQ(extent, size);
    const MPI_Offset at = world_rank() * kCount;
    TUTTI_OK(
        MPI_File_write_at_all(handle_, at, mine.data(), kCount, simple.type, MPI_STATUS_IGNORE));
    const std::string whole = content();
    const std::size_t begin = static_cast<std::size_t>(world_rank()) * mine.size();
    ASSERT_EQ(whole.substr(begin, mine.size()), expected);
    std::string back(mine.size(), '?');
    MPI_Status status;
    TUTTI_OK(MPI_File_read_at(handle_, at, back.data(), kCount, simple.type, &status));
    EXPECT_EQ(back, mine);
    int count = 0;
    MPI_Get_count(&status, simple.type, &count);
    EXPECT_EQ(count, kCount);
    if (simple.host_packs) {
      std::string packed(mine.size(), '\0');
      MPI_Aint position = 0;
      MPI_Pack_external("external32", mine.data(), kCount, simple.type, packed.data(),
                        static_cast<MPI_Aint>(packed.size()), &position);
      EXPECT_EQ(packed, expected);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

TEST_F(External32, AFileReadAsNativeHasItsBytesSwapped) {
  TUTTI_OK(set_view(0, MPI_DOUBLE, MPI_DOUBLE));
  const double value = 1234.5 + world_rank();
  TUTTI_OK(MPI_File_write_at(handle_, world_rank(), &value, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  content();
  TUTTI_OK(set_view(0, MPI_DOUBLE, MPI_DOUBLE, "native"));
  std::uint64_t raw = 0;
  TUTTI_OK(MPI_File_read_at(handle_, world_rank(), &raw, 1, MPI_DOUBLE, MPI_STATUS_IGNORE));
  std::uint64_t memory = 0;
  std::memcpy(&memory, &value, 8);
  EXPECT_EQ(__builtin_bswap64(raw), memory);
}

TEST_F(External32, LongDoublesAndPairsAndCharactersHaveOtherSizes) {
  const auto expect_extent = [&](MPI_Datatype type, MPI_Aint expected) {
    MPI_Aint extent = 0;
    TUTTI_OK(MPI_File_get_type_extent(handle_, type, &extent));
    EXPECT_EQ(extent, expected);
  };
  TUTTI_OK(set_view(10, MPI_WCHAR, MPI_WCHAR));
  expect_extent(MPI_WCHAR, 2);
  expect_extent(MPI_LONG_DOUBLE, 16);
  expect_extent(MPI_SHORT_INT, 6);
  const wchar_t text[] = {L'a' + 1, 0x20ac};
  TUTTI_OK(MPI_File_write_at(handle_, 2 * world_rank(), text, 2, MPI_WCHAR, MPI_STATUS_IGNORE));
  MPI_Offset place = 0;
  TUTTI_OK(MPI_File_get_byte_offset(handle_, 5, &place));
  EXPECT_EQ(place, 20);
  const std::string characters = content();
  EXPECT_EQ(characters.substr(10 + 4 * static_cast<std::size_t>(world_rank()), 4),
            std::string("\0b\x20\xac", 4));
  const wchar_t clef = 0x1d11e;
  EXPECT_TRUE(is_error(MPI_File_write_at(handle_, 9, &clef, 1, MPI_WCHAR, MPI_STATUS_IGNORE),
                       MPI_ERR_CONVERSION, file_.path()));

  struct ShortInt {
    short value;
    int index;
  };
  const ShortInt pair{0x0102, 0x03040506};
  TUTTI_OK(set_view(0, MPI_SHORT_INT, MPI_SHORT_INT));
  TUTTI_OK(MPI_File_write_at(handle_, world_rank(), &pair, 1, MPI_SHORT_INT, MPI_STATUS_IGNORE));
  const std::string pairs = content();
  EXPECT_EQ(pairs.substr(6 * static_cast<std::size_t>(world_rank()), 6),
            std::string("\1\2\3\4\5\6", 6));
  ShortInt read{};
  MPI_Status status;
  TUTTI_OK(MPI_File_read_at_all(handle_, world_rank(), &read, 1, MPI_SHORT_INT, &status));
  EXPECT_EQ(read.value, 0x0102);
  EXPECT_EQ(read.index, 0x03040506);
  int elements = 0;
  MPI_Get_elements(&status, MPI_BYTE, &elements);
  EXPECT_EQ(elements, 6);
}

TEST_F(External32, RandomTypesMatchTheReference) {
  const std::uint64_t seed = test::test_seed("external32 types", 23);
  test::RandomTypes types(seed, {.use = test::TypeUse::receive, .max_bytes = 700});
  std::mt19937_64 random(seed + static_cast<unsigned>(world_rank()));
  int moved = 0;
  for (int i = 0; i < 150; ++i) {
    const test::RandomType type = types.next();
    const int count = overlaps_itself(type, 3) ? 1 : 3;
    const test::TypedMemory memory(type, count, random);
    const std::string expected = in_file(type, memory.bytes.data() + memory.origin, count);
    const auto bytes = static_cast<MPI_Offset>(expected.size());
    TUTTI_OK(set_view(world_rank() * bytes, MPI_BYTE, MPI_BYTE));
    const char* const buffer = memory.bytes.data() + memory.origin;
    if (i % 2 == 0)
      TUTTI_OK(MPI_File_write_all(handle_, buffer, count, type.type.get(), MPI_STATUS_IGNORE));
    else
      TUTTI_OK(MPI_File_write(handle_, buffer, count, type.type.get(), MPI_STATUS_IGNORE));
    MPI_Offset position = -1;
    TUTTI_OK(MPI_File_get_position(handle_, &position));
    EXPECT_EQ(position, bytes);
    const std::string whole = content();
    ASSERT_EQ(bytes == 0
                  ? ""
                  : whole.substr(static_cast<std::size_t>(world_rank() * bytes), expected.size()),
              expected)
        << type.text;
    std::string back(memory.bytes.size(), '\x5a');
    std::string wanted = back;
    for (int copy = 0; copy < count; ++copy)
      for (const std::int64_t byte : type.bytes) {
        const auto at = static_cast<std::size_t>(memory.origin + copy * type.extent + byte);
        wanted[at] = memory.bytes[at];
      }
    TUTTI_OK(MPI_File_read_at_all(handle_, 0, back.data() + memory.origin, count, type.type.get(),
                                  MPI_STATUS_IGNORE));
    ASSERT_EQ(back, wanted) << type.text;
    if (bytes > 0) ++moved;
  }
  EXPECT_GT(moved, 100);
}

TEST_F(External32, InterleavedRanks) {
  OwnedType tile;
  MPI_Type_create_resized(MPI_INT, 0, 4 * world_size(), tile.fill());
  MPI_Datatype committed = tile.get();
  MPI_Type_commit(&committed);
  TUTTI_OK(set_view(4 * world_rank(), MPI_INT, tile.get()));
  constexpr int kCount = 5000;
  std::vector<int> numbers(kCount);
  for (int i = 0; i < kCount; ++i)
    numbers[static_cast<std::size_t>(i)] = i * world_size() + world_rank();
  TUTTI_OK(MPI_File_write_all_begin(handle_, numbers.data(), kCount, MPI_INT));
  TUTTI_OK(MPI_File_write_all_end(handle_, numbers.data(), MPI_STATUS_IGNORE));
  const std::string whole = content();
  ASSERT_EQ(whole.size(), 4U * kCount * static_cast<unsigned>(world_size()));
  for (std::uint32_t i = 0; i < whole.size() / 4; ++i) {
    std::uint32_t stored = 0;
    std::memcpy(&stored, whole.data() + 4 * i, 4);
    ASSERT_EQ(__builtin_bswap32(stored), i);
  }
  std::vector<int> back(kCount);
  TUTTI_OK(MPI_File_seek(handle_, -kCount, MPI_SEEK_CUR));
  TUTTI_OK(MPI_File_read_all(handle_, back.data(), kCount, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(back, numbers);
}

TEST_F(External32, TheEndOfTheFileInsideAnElement) {
  MPI_File_close(&handle_);
  file_.fill(std::string("\0\0\0\1\0\0\0\2\0\0", 10));
  SetUp();
  TUTTI_OK(set_view(0, MPI_INT, MPI_INT));
  for (const bool together : {false, true}) {
    int numbers[4] = {-1, -1, -1, -1};
    MPI_Status status;
    TUTTI_OK(MPI_File_seek(handle_, 0, MPI_SEEK_SET));
    const auto read = together ? MPI_File_read_all : MPI_File_read;
    TUTTI_OK(read(handle_, numbers, 4, MPI_INT, &status));
    int count = 0;
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(numbers[0], 1);
    EXPECT_EQ(numbers[1], 2);
    EXPECT_EQ(numbers[2], -1);
    MPI_Offset position = 0;
    TUTTI_OK(MPI_File_get_position(handle_, &position));
    EXPECT_EQ(position, 2);
  }
}

TEST_F(External32, AccessesOfManyPieces) {
  TUTTI_OK(set_view(0, MPI_INT, MPI_INT));
  // Rank 0 needs two rounds of a collective call, the others one or none.
  const int count = world_rank() == 0 ? 4'500'000 : world_rank() * 1000 - 1000;
  const MPI_Offset first = world_rank() == 0 ? 0 : 4'500'000 + world_rank() * 10'000;
  std::vector<int> numbers(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) numbers[static_cast<std::size_t>(i)] = i * 7 + world_rank();
  TUTTI_OK(
      MPI_File_write_at_all(handle_, first, numbers.data(), count, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  std::vector<int> back(numbers.size());
  MPI_Status status;
  TUTTI_OK(MPI_File_read_at(handle_, first, back.data(), count, MPI_INT, &status));
  EXPECT_TRUE(back == numbers);
  int read = -1;
  MPI_Get_count(&status, MPI_INT, &read);
  EXPECT_EQ(read, count);
  std::fill(back.begin(), back.end(), 0);
  TUTTI_OK(MPI_File_read_at_all(handle_, first, back.data(), count, MPI_INT, &status));
  EXPECT_TRUE(back == numbers);
  MPI_Get_count(&status, MPI_INT, &read);
  EXPECT_EQ(read, count);
}

TEST_F(External32, NonblockingSharedAndOrderedAccess) {
  TUTTI_OK(set_view(0, MPI_SHORT, MPI_SHORT));
  const short mine = static_cast<short>(world_rank() + 1);
  TUTTI_OK(MPI_File_write_ordered(handle_, &mine, 1, MPI_SHORT, MPI_STATUS_IGNORE));
  std::string expected;
  for (int rank = 0; rank < world_size(); ++rank) expected += {'\0', static_cast<char>(rank + 1)};
  EXPECT_EQ(content(), expected);
  MPI_Offset position = 0;
  TUTTI_OK(MPI_File_get_position_shared(handle_, &position));
  EXPECT_EQ(position, world_size());
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  TUTTI_OK(MPI_File_iwrite_shared(handle_, &mine, 1, MPI_SHORT, &request));
  TUTTI_OK(MPI_Wait(&request, &status));
  const std::string longer = content();
  EXPECT_EQ(longer.size(), expected.size() * 2);
  short number = 0;
  TUTTI_OK(MPI_File_iread_at(handle_, world_rank(), &number, 1, MPI_SHORT, &request));
  TUTTI_OK(MPI_Wait(&request, &status));
  EXPECT_EQ(number, mine);
  int count = 0;
  MPI_Get_count(&status, MPI_SHORT, &count);
  EXPECT_EQ(count, 1);
  TUTTI_OK(MPI_File_iread(handle_, &number, 1, MPI_SHORT, &request));
  TUTTI_OK(MPI_File_get_position(handle_, &position));
  EXPECT_EQ(position, 1);
  TUTTI_OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT_EQ(number, 1);
}

TEST_F(External32, AtomicAccess) {
  TUTTI_OK(set_view(0, MPI_INT, MPI_INT));
  TUTTI_OK(MPI_File_set_atomicity(handle_, 1));
  constexpr int kCount = 1'200'000;  // more than one piece
  std::vector<int> numbers(kCount, 0x01020304 * (world_rank() + 1));
  TUTTI_OK(MPI_File_write_at(handle_, 0, numbers.data(), kCount, MPI_INT, MPI_STATUS_IGNORE));
  MPI_Barrier(MPI_COMM_WORLD);
  TUTTI_OK(MPI_File_read_at(handle_, 0, numbers.data(), kCount, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQ(numbers.front() % 0x01020304, 0);
  EXPECT_TRUE(std::count(numbers.begin(), numbers.end(), numbers.front()) == kCount);
}

TEST_F(External32, AFailingRankFailsTheCollectiveCall) {
  TUTTI_OK(set_view(0, MPI_INT, MPI_INT));
  int number = 1;
  const int count = world_rank() == world_size() - 1 ? -1 : 1;
  EXPECT_TRUE(is_error(
      MPI_File_write_at_all(handle_, world_rank(), &number, count, MPI_INT, MPI_STATUS_IGNORE),
      MPI_ERR_COUNT, file_.path()));
  EXPECT_TRUE(is_error(MPI_File_write_at(handle_, 0, &number, 1, MPI_SHORT, MPI_STATUS_IGNORE),
                       MPI_ERR_IO, "whole number of etypes"));
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
