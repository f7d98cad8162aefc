// ranks: 1 2
#include "view/decode.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <random>

#include "pattern/blocks.hpp"
#include "support/mpi_main.hpp"
#include "support/random_types.hpp"
#include "support/seed.hpp"

namespace tutti {
namespace {

using test::RandomType;
using test::RandomTypes;
using test::TypeUse;

std::vector<std::int64_t> bytes_of(const Pattern& pattern) {
  std::vector<std::int64_t> all;
  for_each_run(pattern, 0, pattern.size(), [&](Extent run) {
    for (std::int64_t i = 0; i < run.bytes; ++i) all.push_back(run.offset + i);
    return true;
  });
  return all;
}

void expect_equal(const RandomType& expected, const TypePattern& decoded) {
  const Pattern& pattern = decoded.pattern;
  EXPECT_EQ(bytes_of(pattern), expected.bytes);
  EXPECT_EQ(decoded.size, static_cast<std::int64_t>(expected.bytes.size()));
  EXPECT_EQ(decoded.lb, expected.lb);
  EXPECT_EQ(decoded.extent, expected.extent);
  const auto& bytes = expected.bytes;
  const bool ascends =
      std::adjacent_find(bytes.begin(), bytes.end(), std::greater_equal<>()) == bytes.end();
  EXPECT_EQ(pattern.is_monotone(), ascends);
  if (bytes.empty()) return;
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
  EXPECT_EQ(pattern.lower(), *least);
  EXPECT_EQ(pattern.upper(), *most + 1);
  for (std::size_t k = 0; k < bytes.size(); k += 1 + bytes.size() / 7)
    EXPECT_EQ(pattern.offset_of(static_cast<std::int64_t>(k)), bytes[k]);
}

// The host's own idea of the typemap: what MPI_Pack takes from memory, and where MPI_Unpack puts
// it.
void expect_host_copies_alike(const RandomType& type, std::mt19937_64& random, bool unpack) {
  if (type.bytes.empty()) return;
  const auto [least, most] = std::minmax_element(type.bytes.begin(), type.bytes.end());
  std::vector<unsigned char> memory(static_cast<std::size_t>(*most - *least + 1));
  for (unsigned char& byte : memory) byte = static_cast<unsigned char>(random());
  std::vector<unsigned char> expected;
  for (const std::int64_t offset : type.bytes)
    expected.push_back(memory[static_cast<std::size_t>(offset - *least)]);

  std::vector<unsigned char> packed(type.bytes.size() + 64);
  int packed_bytes = 0;
  ASSERT_EQ(MPI_Pack(memory.data() - *least, 1, type.type.get(), packed.data(),
                     static_cast<int>(packed.size()), &packed_bytes, MPI_COMM_SELF),
            MPI_SUCCESS);
  packed.resize(static_cast<std::size_t>(packed_bytes));
  ASSERT_EQ(packed, expected);
  if (!unpack) return;

  std::vector<unsigned char> filled(memory.size(), 0xA5);
  std::vector<unsigned char> by_hand = filled;
  for (std::size_t k = 0; k < type.bytes.size(); ++k)
    by_hand[static_cast<std::size_t>(type.bytes[k] - *least)] = packed[k];
  int position = 0;
  ASSERT_EQ(MPI_Unpack(packed.data(), packed_bytes, &position, filled.data() - *least, 1,
                       type.type.get(), MPI_COMM_SELF),
            MPI_SUCCESS);
  ASSERT_EQ(filled, by_hand);
}

// Names such as "vector" or "struct" that occur in a type's text.
void count_constructors(const std::string& text, std::map<std::string, int>& counts) {
  for (std::size_t open = text.find('('); open != std::string::npos;
       open = text.find('(', open + 1)) {
    const std::size_t begin = text.find_last_of(" (", open - 1);
    std::string name = text.substr(begin == std::string::npos ? 0 : begin + 1,
                                   open - (begin == std::string::npos ? 0 : begin + 1));
    if (name.ends_with("_c")) name.resize(name.size() - 2);
    ++counts[name];
  }
}

void check_types(TypeUse use, int count, std::uint64_t fallback_seed) {
  const int rank = test::world_rank();
  const std::uint64_t seed = test::test_seed("types", fallback_seed, rank == 0) + rank * 1000003U;
  std::mt19937_64 random(seed);
  int with_standard_bounds = 0;
  std::map<std::string, int> constructors;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t type_seed = random();
    RandomTypes types(type_seed, {.use = use, .max_bytes = i % 10 == 0 ? 16384 : 1024});
    const RandomType type = types.next();
    SCOPED_TRACE("seed of this type " + std::to_string(type_seed) + ": " + type.text);
    const auto decoded = decode(type.type.get());
    ASSERT_TRUE(decoded) << decoded.error().message;
    expect_equal(type, *decoded);
    const bool unpack = use == TypeUse::receive || use == TypeUse::file_write;
    if (type.host_packs_it) expect_host_copies_alike(type, random, unpack);
    if (testing::Test::HasFailure()) return;
    with_standard_bounds += type.host_decides_bounds ? 0 : 1;
    count_constructors(type.text, constructors);
  }
  EXPECT_GT(with_standard_bounds, count / 3);
  for (const char* name :
       {"dup", "contiguous", "vector", "hvector", "indexed", "hindexed", "indexed_block",
        "hindexed_block", "struct", "subarray", "darray", "resized", "f90_real"})
    EXPECT_GT(constructors[name], count / 50) << name;
}

TEST(Decode, RandomMemoryTypesToSendFrom) { check_types(TypeUse::send, 2000, 11); }
TEST(Decode, RandomMemoryTypesToReceiveInto) { check_types(TypeUse::receive, 2000, 12); }
TEST(Decode, RandomFiletypesToWrite) { check_types(TypeUse::file_write, 2000, 13); }
TEST(Decode, RandomFiletypesToRead) { check_types(TypeUse::file_read, 2000, 14); }

TEST(Decode, FiletypesKeepWhatTheirUsePromises) {
  std::mt19937_64 random(test::test_seed("filetypes", 15, test::world_rank() == 0));
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t seed = random();
    RandomTypes to_write(seed, {.use = TypeUse::file_write});
    const RandomType written = to_write.next();
    SCOPED_TRACE("seed of this type " + std::to_string(seed) + ": " + written.text);
    const auto decoded = decode(written.type.get());
    ASSERT_TRUE(decoded);
    EXPECT_TRUE(Pattern::repeat(3, decoded->extent, decoded->pattern).is_monotone());
    EXPECT_GE(decoded->pattern.lower(), 0);
    RandomTypes to_read(seed, {.use = TypeUse::file_read});
    const RandomType read = to_read.next();
    const auto read_pattern = decode(read.type.get());
    ASSERT_TRUE(read_pattern);
    EXPECT_TRUE(read_pattern->pattern.is_ordered()) << read.text;
    EXPECT_GE(read_pattern->extent, 0) << read.text;
  }
}

TEST(Decode, SixteenMillionBlocksAreOneRepetition) {
  OwnedType column;
  ASSERT_EQ(MPI_Type_vector(16 << 20, 1, 4, MPI_FLOAT, column.fill()), MPI_SUCCESS);
  Result<TypePattern> decoded;
  auto fastest = std::chrono::steady_clock::duration::max();
  for (int attempt = 0; attempt < 5; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    decoded = decode(column.get());
    fastest = std::min(fastest, std::chrono::steady_clock::now() - start);
  }
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->pattern, Pattern::repeat(16 << 20, 16, Pattern::run(4)));
  EXPECT_LT(fastest, std::chrono::milliseconds(1)) << "a list of blocks was made";
}

TEST(Decode, ARegularListIsAVector) {
  std::vector<int> displacements(100'000);
  for (std::size_t i = 0; i < displacements.size(); ++i)
    displacements[i] = static_cast<int>(3 * i + 5);
  const std::vector<int> lengths(displacements.size(), 2);
  OwnedType indexed;
  OwnedType block;
  const int count = static_cast<int>(lengths.size());
  MPI_Type_indexed(count, lengths.data(), displacements.data(), MPI_DOUBLE, indexed.fill());
  MPI_Type_create_indexed_block(count, 2, displacements.data(), MPI_DOUBLE, block.fill());
  const Pattern expected = Pattern::repeat(count, 24, Pattern::run(16, 40));
  EXPECT_EQ(decode(indexed.get())->pattern, expected);
  EXPECT_EQ(decode(block.get())->pattern, expected);
}

TEST(Decode, AStrideOfMinusOneByte) {
  OwnedType backward;  // Open MPI itself copies another byte sequence for this type
  ASSERT_EQ(MPI_Type_create_hvector(3, 1, -1, MPI_CHAR, backward.fill()), MPI_SUCCESS);
  EXPECT_EQ(bytes_of(decode(backward.get())->pattern), (std::vector<std::int64_t>{0, -1, -2}));
}

TEST(Decode, OldBoundMarkersHoldNoBytes) {
  const int lengths[] = {1, 1, 1};
  const MPI_Aint displacements[] = {-8, 4, 40};
  const MPI_Datatype types[] = {test::old_lb_marker(), MPI_INT, test::old_ub_marker()};
  OwnedType marked;
  ASSERT_EQ(MPI_Type_create_struct(3, lengths, displacements, types, marked.fill()), MPI_SUCCESS);
  const auto decoded = decode(marked.get());
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, (TypePattern{Pattern::run(4, 4), -8, 48, 4}));
}

TEST(Decode, TypesOfMoreThanTheLimitAreRefused) {
  const int most = std::numeric_limits<int>::max();
  OwnedType wide;
  OwnedType wider;
  ASSERT_EQ(MPI_Type_contiguous(most, MPI_BYTE, wide.fill()), MPI_SUCCESS);
  ASSERT_EQ(MPI_Type_contiguous(most, wide.get(), wider.fill()), MPI_SUCCESS);
  EXPECT_EQ(decode(wide.get())->pattern, Pattern::run(most));
  const auto refused = decode(wider.get());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::invalid_type);
  EXPECT_FALSE(decode(MPI_DATATYPE_NULL));
}

TEST(Decode, ElementsAreOneExtentApart) {
  OwnedType spaced;
  ASSERT_EQ(MPI_Type_create_resized(MPI_INT, 0, 12, spaced.fill()), MPI_SUCCESS);
  const auto type = decode(spaced.get());
  ASSERT_TRUE(type);
  EXPECT_EQ(*elements_of(*type, 5), Pattern::repeat(5, 12, Pattern::run(4)));
  EXPECT_TRUE(elements_of(*type, 0)->empty());
  EXPECT_EQ(elements_of(*type, -1).error().kind, ErrorKind::invalid_count);
  EXPECT_EQ(elements_of(*type, std::int64_t{1} << 60).error().kind, ErrorKind::invalid_count);
}

#if defined(TUTTI_HOST_MPICH)
TEST(Decode, LargeCountConstructors) {
  const MPI_Count large = MPI_Count{1} << 40;
  OwnedType type;
  ASSERT_EQ(MPI_Type_vector_c(large, 1, 2, MPI_INT, type.fill()), MPI_SUCCESS);
  EXPECT_EQ(decode(type.get())->pattern, Pattern::repeat(large, 8, Pattern::run(4)));
}
#endif

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
