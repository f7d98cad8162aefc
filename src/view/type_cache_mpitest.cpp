// ranks: 1 2
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "support/basic_types.hpp"
#include "support/mpi_main.hpp"
#include "support/random_types.hpp"
#include "support/seed.hpp"
#include "view/decode.hpp"
#include "view/type_pattern.hpp"

namespace tutti {
namespace {

TEST(TypeCache, PredefinedTypes) {
  for (const test::BasicType& basic : test::basic_types()) {
    SCOPED_TRACE(basic.name);
    const auto found = pattern_of(basic.type);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ((*found)->size, basic.reference.size());
    EXPECT_EQ((*found)->extent, basic.reference.extent);
    EXPECT_EQ((*found)->lb, 0);
    std::vector<Extent> members;
    for (const test::BasicDatum& datum : basic.reference.typemap)
      members.push_back({datum.offset, datum.bytes});
    EXPECT_EQ((*found)->pattern, Pattern::tuples(members));
    EXPECT_EQ(*pattern_of(basic.type), *found) << "made anew";
  }
}

TEST(TypeCache, OtherPredefinedTypesAreContiguous) {
  for (const MPI_Datatype type : {MPI_WCHAR,
                                  MPI_SIGNED_CHAR,
                                  MPI_UNSIGNED_LONG_LONG,
                                  MPI_C_BOOL,
                                  MPI_PACKED,
                                  MPI_AINT,
                                  MPI_OFFSET,
                                  MPI_COUNT,
                                  MPI_CHARACTER,
                                  MPI_LOGICAL,
                                  MPI_REAL,
                                  MPI_COMPLEX,
                                  MPI_DOUBLE_COMPLEX,
                                  MPI_2REAL,
                                  MPI_2DOUBLE_PRECISION,
                                  MPI_2INTEGER,
                                  MPI_INTEGER8,
                                  MPI_REAL8,
                                  MPI_C_LONG_DOUBLE_COMPLEX,
                                  MPI_CXX_BOOL}) {
    int size = 0;
    MPI_Type_size(type, &size);
    const auto found = pattern_of(type);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(**found, (TypePattern{Pattern::run(size), 0, size, size}));
  }
}

OwnedType strided() {
  OwnedType type;
  EXPECT_EQ(MPI_Type_vector(5, 2, 7, MPI_DOUBLE, type.fill()), MPI_SUCCESS);
  return type;
}

TEST(TypeCache, DecodesOnceAndLetsGoWithTheType) {
  OwnedType type = strided();
  std::weak_ptr<const TypePattern> watched;
  {
    const auto first = pattern_of(type.get());
    ASSERT_TRUE(first);
    EXPECT_EQ(pattern_of(type.get())->get(), first->get());
    watched = *first;
  }
  EXPECT_FALSE(watched.expired());
  type.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(TypeCache, WhoHoldsAPatternMayFreeTheType) {
  OwnedType type = strided();
  const auto held = *pattern_of(type.get());
  type.reset();
  EXPECT_EQ(held->pattern, Pattern::repeat(5, 56, Pattern::run(16)));
}

TEST(TypeCache, DuplicatesShareThePattern) {
  OwnedType type = strided();
  auto original = *pattern_of(type.get());
  OwnedType copy;
  ASSERT_EQ(MPI_Type_dup(type.get(), copy.fill()), MPI_SUCCESS);
  EXPECT_EQ(pattern_of(copy.get())->get(), original.get());
  type.reset();
  EXPECT_EQ(pattern_of(copy.get())->get(), original.get());
  const std::weak_ptr<const TypePattern> watched = original;
  original.reset();
  copy.reset();
  EXPECT_TRUE(watched.expired());
}

#if defined(TUTTI_HOST_MPICH)  // Open MPI hands out duplicates of inner types, which we free again
TEST(TypeCache, InnerTypesKeepTheirPatternToo) {
  OwnedType inner = strided();
  OwnedType outer;
  ASSERT_EQ(MPI_Type_create_resized(inner.get(), 0, 1000, outer.fill()), MPI_SUCCESS);
  const auto outer_pattern = *pattern_of(outer.get());
  const auto inner_pattern = *pattern_of(inner.get());
  EXPECT_EQ(outer_pattern->pattern.node(), inner_pattern->pattern.node()) << "decoded twice";
  EXPECT_EQ(outer_pattern->extent, 1000);
}
#endif

int count_deletion(MPI_Datatype, int, void*, void* counter) {
  ++*static_cast<int*>(counter);
  return MPI_SUCCESS;
}

// Two levels down, because a duplicate that Open MPI hands out refers to what is inside it only.
TEST(TypeCache, DecodingKeepsNoReferenceToInnerTypes) {
  int freed = 0;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, count_deletion, &keyval, &freed);
  OwnedType innermost = strided();
  MPI_Type_set_attr(innermost.get(), keyval, nullptr);
  OwnedType inner;
  MPI_Type_create_resized(innermost.get(), 0, 1024, inner.fill());
  OwnedType outer;
  const int lengths[] = {1, 2};
  const MPI_Aint displacements[] = {0, 4096};
  const MPI_Datatype types[] = {inner.get(), inner.get()};
  MPI_Type_create_struct(2, lengths, displacements, types, outer.fill());
  innermost.reset();
  inner.reset();
  EXPECT_TRUE(decode(outer.get()));
  EXPECT_TRUE(decode(outer.get()));
  EXPECT_TRUE(pattern_of(outer.get()));
  ASSERT_EQ(freed, 0);
  outer.reset();
  EXPECT_EQ(freed, 1);
  MPI_Type_free_keyval(&keyval);
}

TEST(TypeCache, ManyTypesComeAndGo) {
  std::vector<std::weak_ptr<const TypePattern>> watched;
  test::RandomTypes types(test::test_seed("types", 21, test::world_rank() == 0),
                          {.use = test::TypeUse::send, .max_bytes = 256});
  for (int i = 0; i < 500; ++i) {
    const test::RandomType type = types.next();
    const auto found = pattern_of(type.type.get());
    ASSERT_TRUE(found) << type.text;
    EXPECT_EQ(pattern_of(type.type.get())->get(), found->get());
    EXPECT_EQ(**found, *decode(type.type.get()));
    watched.emplace_back(*found);
  }
  for (const auto& pattern : watched) EXPECT_TRUE(pattern.expired());
}

TEST(TypeCache, ThreadsAgreeOnOnePattern) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  ASSERT_EQ(provided, MPI_THREAD_MULTIPLE);
  for (int round = 0; round < 50; ++round) {
    OwnedType type = strided();
    std::vector<std::shared_ptr<const TypePattern>> found(4);
    std::vector<std::jthread> threads;
    for (auto& mine : found) threads.emplace_back([&] { mine = *pattern_of(type.get()); });
    threads.clear();
    const auto kept = *pattern_of(type.get());
    for (const auto& mine : found) EXPECT_EQ(mine.get(), kept.get());
  }
}

TEST(TypeCache, TheNullTypeIsAnError) {
  const auto none = pattern_of(MPI_DATATYPE_NULL);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::invalid_type);
}

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv, MPI_THREAD_MULTIPLE); }
