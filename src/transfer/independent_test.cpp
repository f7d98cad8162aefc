#include "transfer/independent.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "device/registry.hpp"
#include "support/random_pattern.hpp"

namespace tutti {
namespace {

using testing::PatternMaker;
using testing::RandomPattern;

std::vector<std::byte> noise(std::size_t bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> filled(bytes);
  for (std::byte& b : filled) b = static_cast<std::byte>(random());
  return filled;
}

// One random access with its byte lists: file byte files[k] belongs to memory byte memories[k].
struct Case {
  Access access;
  std::vector<std::int64_t> files;
  std::vector<std::int64_t> memories;
  std::vector<std::byte> memory;
};

Case make_case(PatternMaker& maker, Direction direction, bool ascending) {
  Case made;
  RandomPattern tile = ascending ? maker.ascending(2) : maker.any(2);
  // Offsets start at zero or above; some tiles are narrower than what they hold.
  const std::int64_t down = std::min<std::int64_t>(tile.pattern.lower(), 0);
  const std::int64_t extent = std::max<std::int64_t>(
      1, tile.pattern.upper() - down + maker.below(12) - (ascending ? 0 : 4));
  const Pattern stream = Pattern::tiled(tile.pattern.shifted(-down), extent);
  RandomPattern memory = direction == Direction::write ? maker.any(3) : maker.ascending(3);
  const std::int64_t tile_bytes = std::ssize(tile.bytes);
  const std::int64_t first = tile_bytes == 0 ? 0 : maker.below(3 * tile_bytes);
  const std::int64_t bytes = tile_bytes == 0 ? 0 : maker.below(std::ssize(memory.bytes) + 1);
  for (std::int64_t k = 0; k < bytes; ++k) {
    made.files.push_back((first + k) / tile_bytes * extent +
                         tile.bytes[static_cast<std::size_t>((first + k) % tile_bytes)] - down);
    made.memories.push_back(memory.bytes[static_cast<std::size_t>(k)] - memory.pattern.lower());
  }
  made.memory =
      noise(static_cast<std::size_t>(memory.pattern.upper() - memory.pattern.lower()) + 1, 5);
  made.access = {direction,
                 {stream, first, bytes},
                 {memory.pattern.shifted(-memory.pattern.lower()), nullptr}};
  return made;
}

// `mapped` needs a file of the file system; the others run in memory.
class IndependentAccess : public ::testing::TestWithParam<AccessMethod> {
 protected:
  Hints hints_for(PatternMaker& maker) const {
    Hints hints;
    hints.access = GetParam();
    hints.list_segments = 1 + maker.below(5);
    hints.ind_rd_buffer_size = 1 + maker.below(64);
    hints.ind_wr_buffer_size = 1 + maker.below(64);
    return hints;
  }
  Device open() {
    auto device = open_device(name(), {.read = true, .write = true, .create = true});
    EXPECT_TRUE(device.has_value());
    return std::move(*device);
  }
  static std::string name() {
    if (GetParam() != AccessMethod::mapped) return "memory:independent";
    return "/dev/shm/tutti-independent-" + std::to_string(getpid());
  }
  void TearDown() override { (void)remove_file(name()); }
};

std::vector<std::byte> contents(Device& device) {
  std::vector<std::byte> all(static_cast<std::size_t>(*device->size()));
  EXPECT_EQ(*device.read(0, all), std::ssize(all));
  return all;
}

TEST_P(IndependentAccess, WritesExactlyTheBytesAskedFor) {
  for (int seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    PatternMaker maker(seed);
    Device device = open();
    Case made = make_case(maker, Direction::write, maker.chance(80));
    std::vector<std::byte> expected = noise(static_cast<std::size_t>(maker.below(200)), seed + 1);
    ASSERT_TRUE(device->resize(0).has_value());
    ASSERT_TRUE(device.write(0, expected).has_value());
    for (std::size_t k = 0; k < made.files.size(); ++k) {
      const auto at = static_cast<std::size_t>(made.files[k]);
      if (at >= expected.size()) expected.resize(at + 1);
      expected[at] = made.memory[static_cast<std::size_t>(made.memories[k])];
    }
    made.access.memory.base = made.memory.data();
    Scratch scratch;
    const auto moved = transfer_independent(device, made.access, hints_for(maker), scratch);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
    EXPECT_EQ(*moved, made.access.file.bytes);
    ASSERT_EQ(contents(device), expected);
  }
}

TEST_P(IndependentAccess, ReadsUpToTheEndOfTheFile) {
  for (int seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    PatternMaker maker(seed);
    Device device = open();
    Case made = make_case(maker, Direction::read, maker.chance(80));
    const std::vector<std::byte> file = noise(static_cast<std::size_t>(maker.below(300)), seed + 1);
    ASSERT_TRUE(device->resize(0).has_value());
    ASSERT_TRUE(device.write(0, file).has_value());
    std::vector<std::byte> expected = made.memory;
    std::int64_t count = 0;
    for (; count < std::ssize(made.files); ++count) {
      const auto k = static_cast<std::size_t>(count);
      if (made.files[k] >= std::ssize(file)) break;
      expected[static_cast<std::size_t>(made.memories[k])] =
          file[static_cast<std::size_t>(made.files[k])];
    }
    made.access.memory.base = made.memory.data();
    Scratch scratch;
    const auto moved = transfer_independent(device, made.access, hints_for(maker), scratch);
    ASSERT_TRUE(moved.has_value()) << moved.error().message;
    EXPECT_EQ(*moved, count);
    ASSERT_EQ(made.memory, expected);
  }
}

INSTANTIATE_TEST_SUITE_P(AllMethods, IndependentAccess,
                         ::testing::Values(AccessMethod::automatic, AccessMethod::naive,
                                           AccessMethod::list, AccessMethod::sieve,
                                           AccessMethod::mapped));

TEST(ChooseMethod, DenseReadsAreSievedAndSparseOnesListed) {
  const Pattern dense = Pattern::repeat(1'000'000, 128, Pattern::run(64));
  const Pattern sparse = Pattern::repeat(1'000, 1 << 20, Pattern::run(64));
  const auto choose = [](const Pattern& stream, Direction direction, const Hints& hints) {
    return choose_method({direction, {stream, 0, stream.size()}, {}}, hints, {});
  };
  EXPECT_EQ(choose(dense, Direction::read, {}), AccessMethod::sieve);
  EXPECT_EQ(choose(sparse, Direction::read, {}), AccessMethod::list);
  EXPECT_EQ(
      choose_method({Direction::read, {dense, 0, dense.size()}, {}}, {}, {.maps_reads = true}),
      AccessMethod::mapped);
  EXPECT_EQ(choose(dense, Direction::write, {}), AccessMethod::list);
  EXPECT_EQ(choose_method({Direction::write, {dense, 0, dense.size()}, {}}, {}, {.maps = true}),
            AccessMethod::mapped);
  EXPECT_EQ(choose_method({Direction::write, {sparse, 0, sparse.size()}, {}}, {}, {.maps = true}),
            AccessMethod::list);
  Hints enabled;
  enabled.romio_ds_write = Toggle::enable;
  EXPECT_EQ(choose(dense, Direction::write, enabled), AccessMethod::sieve);
  Hints disabled;
  disabled.romio_ds_read = Toggle::disable;
  EXPECT_EQ(choose(dense, Direction::read, disabled), AccessMethod::list);
}

}  // namespace
}  // namespace tutti
