// ranks: 1
#include "view/representation.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "mpi/owned.hpp"
#include "support/mpi_main.hpp"
#include "support/random_types.hpp"
#include "support/seed.hpp"

namespace tutti {
namespace {

std::int64_t size_of(MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  return size;
}

// Every element takes `factor` times its size.
Representation scaled_by(std::int64_t factor) {
  return {[factor](MPI_Datatype type) -> Result<std::int64_t> { return factor * size_of(type); }};
}

TEST(Representation, TypesKeepTheirPlaceWhereSizesDoNotChange) {
  test::RandomTypes types(test::test_seed("representation", 11),
                          {.use = test::TypeUse::file_read, .max_bytes = 512});
  int seen = 0;
  for (int i = 0; i < 600; ++i) {
    const test::RandomType type = types.next();
    const bool padded = type.text.find("_INT") != std::string::npos;  // pairs lose their padding
    const auto in_file = file_pattern_of(scaled_by(1), type.type.get());
    ASSERT_TRUE(in_file) << in_file.error().message << type.text;
    const auto map = element_map_of(scaled_by(1), type.type.get());
    ASSERT_TRUE(map);
    EXPECT_EQ(map->total().elements, static_cast<std::int64_t>(type.typemap.size())) << type.text;
    EXPECT_EQ(map->total().memory_bytes, static_cast<std::int64_t>(type.bytes.size()));
    EXPECT_EQ(map->total().file_bytes, in_file->size) << type.text;
    if (padded) continue;
    ++seen;
    EXPECT_EQ(*in_file, **pattern_of(type.type.get())) << type.text;
  }
  EXPECT_GT(seen, 100);
}

// The same portable constructors over another element.
std::vector<OwnedType> portable_types(MPI_Datatype element) {
  std::vector<OwnedType> made(8);
  const int lengths[] = {2, 0, 3};
  const int places[] = {1, 7, 5};
  const int full[] = {6, 5};
  const int part[] = {2, 3};
  const int start[] = {3, 1};
  const int distributions[] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK};
  const int dargs[] = {2, MPI_DISTRIBUTE_DFLT_DARG};
  const int grid[] = {2, 2};
  MPI_Type_contiguous(7, element, made[0].fill());
  MPI_Type_vector(4, 2, 5, element, made[1].fill());
  MPI_Type_indexed(3, lengths, places, element, made[2].fill());
  MPI_Type_create_indexed_block(2, 2, places, element, made[3].fill());
  MPI_Type_create_subarray(2, full, part, start, MPI_ORDER_C, element, made[4].fill());
  MPI_Type_create_darray(4, 3, 2, full, distributions, dargs, grid, MPI_ORDER_FORTRAN, element,
                         made[5].fill());
  MPI_Type_vector(2, 1, 3, made[1].get(), made[6].fill());
  MPI_Type_dup(made[6].get(), made[7].fill());
  return made;
}

TEST(Representation, PortableTypesScaleWithTheirElements) {
  const auto small = portable_types(MPI_INT);
  const auto large = portable_types(MPI_DOUBLE);
  for (std::size_t i = 0; i < small.size(); ++i) {
    const auto in_file = file_pattern_of(scaled_by(2), small[i].get());
    ASSERT_TRUE(in_file);
    EXPECT_EQ(*in_file, **pattern_of(large[i].get())) << i;
  }
}

TEST(Representation, DisplacementsInBytesStay) {
  OwnedType places;
  const int lengths[] = {1, 2};
  const MPI_Aint displacements[] = {0, 24};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(2, lengths, displacements, types, places.fill());
  const auto in_file = file_pattern_of(scaled_by(3), places.get());
  ASSERT_TRUE(in_file);
  EXPECT_EQ(in_file->pattern, Pattern::run(48));
  EXPECT_EQ(in_file->extent, 48);
  OwnedType wider;
  MPI_Type_create_resized(places.get(), 0, 100, wider.fill());
  EXPECT_EQ(file_pattern_of(scaled_by(3), wider.get())->extent, 100);
  EXPECT_EQ(file_pattern_of(scaled_by(3), MPI_DOUBLE_INT)->extent, 36);
}

TEST(Representation, External32SizesOfPredefinedTypes) {
  const Representation external32;
  const auto extent = [&](MPI_Datatype type) {
    const auto found = file_pattern_of(external32, type);
    return found ? found->extent : -1;
  };
  for (const MPI_Datatype type :
       {MPI_BYTE, MPI_PACKED, MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_C_BOOL, MPI_INT8_T,
        MPI_UINT8_T, MPI_CHARACTER})
    EXPECT_EQ(extent(type), 1);
  for (const MPI_Datatype type :
       {MPI_WCHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT16_T, MPI_UINT16_T, MPI_INTEGER2})
    EXPECT_EQ(extent(type), 2);
  for (const MPI_Datatype type : {MPI_INT, MPI_UNSIGNED, MPI_FLOAT, MPI_INT32_T, MPI_UINT32_T,
                                  MPI_LOGICAL, MPI_INTEGER, MPI_REAL, MPI_INTEGER4, MPI_REAL4})
    EXPECT_EQ(extent(type), 4);
  for (const MPI_Datatype type :
       {MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_UNSIGNED_LONG_LONG, MPI_DOUBLE, MPI_INT64_T,
        MPI_UINT64_T, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_C_COMPLEX, MPI_DOUBLE_PRECISION,
        MPI_COMPLEX, MPI_INTEGER8, MPI_REAL8})
    EXPECT_EQ(extent(type), 8);
  for (const MPI_Datatype type : {MPI_LONG_DOUBLE, MPI_C_DOUBLE_COMPLEX, MPI_DOUBLE_COMPLEX})
    EXPECT_EQ(extent(type), 16);
  EXPECT_EQ(extent(MPI_C_LONG_DOUBLE_COMPLEX), 32);
  EXPECT_EQ(extent(MPI_SHORT_INT), 6);
  EXPECT_EQ(extent(MPI_LONG_DOUBLE_INT), 20);
}

TEST(Representation, ElementsWithoutASizeAreRefused) {
  const auto nothing = element_map_of(scaled_by(0), MPI_INT);
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, ErrorKind::conversion);
  const auto null = element_map_of(scaled_by(1), MPI_DATATYPE_NULL);
  ASSERT_FALSE(null);
  EXPECT_EQ(null.error().kind, ErrorKind::invalid_type);
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
