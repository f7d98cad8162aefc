// A rank whose storage fails in the middle: all ranks return the same error, nobody hangs, and the
// file holds no byte that nobody wrote.
#include <gtest/gtest.h>
#include <unistd.h>

#include "device/registry.hpp"
#include "exec/collective.hpp"
#include "exec/collective_state.hpp"
#include "pattern/shapes.hpp"
#include "support/mpi_main.hpp"
#include "support/restated_device.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

struct Setup {
  const char* strategy;
  TransportChoice transport;
  const char* prefix = "";
};

constexpr std::int64_t kElements = 40'000;
constexpr std::byte kOld{0xEE};

std::byte new_value(std::int64_t offset) { return static_cast<std::byte>(offset % 199); }

class Failure : public ::testing::TestWithParam<Setup> {
 protected:
  void SetUp() override {
    std::int64_t id = getpid();
    MPI_Bcast(&id, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
    path_ = GetParam().prefix + ("/dev/shm/tutti-failure-" + std::to_string(id));
    if (world_rank() == 0) {
      OpenOptions options{.read = true, .write = true, .create = true};
      options.striping_unit = 1000;
      auto plain = open_device(path_, options);
      ASSERT_TRUE(plain.has_value());
      const std::vector<std::byte> old(kElements * 4, kOld);
      ASSERT_TRUE(plain->write(0, old).has_value());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (world_rank() == 0) (void)remove_file(path_);
  }

  std::unique_ptr<OpenFile> open(const std::string& fault) const {
    Hints hints;
    hints.strategy = GetParam().strategy;
    hints.transport = GetParam().transport;
    hints.cb_buffer_size = 8192;  // several rounds
    auto file = open_file(MPI_COMM_WORLD, "faulty:" + fault + ":" + path_,
                          {.read = true, .write = true}, hints);
    EXPECT_TRUE(file.has_value()) << file.error().message;
    return file ? std::move(*file) : nullptr;
  }

  static FileRange mine() {
    const Pattern share = block_cyclic({world_size(), world_rank(), kElements, 3, 4});
    return {share, 0, share.size()};
  }

  // Every rank failed with the same kind, which it returns.
  static void expect_same_failure(const Result<std::int64_t>& moved, ErrorKind kind) {
    ASSERT_FALSE(moved.has_value());
    EXPECT_EQ(moved.error().kind, kind) << moved.error().message;
    EXPECT_NE(moved.error().message.find("tutti-failure"), std::string::npos);
  }

  std::string path_;
};

TEST_P(Failure, AWriteThatMeetsAFullDisk) {
  auto file = open("torn-write-at=100001,errno=ENOSPC");
  ASSERT_NE(file, nullptr);
  const FileRange range = mine();
  std::vector<std::byte> memory;
  for (std::int64_t k = 0; k < range.bytes; ++k)
    memory.push_back(new_value(range.stream.offset_of(k)));
  memory.push_back(std::byte{0});
  const Access access{Direction::write, range, {Pattern::run(range.bytes), memory.data()}};
  expect_same_failure(transfer_collective(*file, access, std::nullopt), ErrorKind::no_space);
  MPI_Barrier(MPI_COMM_WORLD);

  auto plain = open_device(path_, {.read = true});
  std::vector<std::byte> contents(kElements * 4 + 10);
  ASSERT_EQ(*plain->read(0, contents), kElements * 4);
  std::int64_t kept = 0;
  for (std::int64_t at = 0; at < kElements * 4; ++at) {
    const std::byte found = contents[static_cast<std::size_t>(at)];
    ASSERT_TRUE(found == kOld || found == new_value(at)) << "offset " << at;
    kept += found == kOld && new_value(at) != kOld ? 1 : 0;
  }
  EXPECT_GT(kept, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT_TRUE(close_file(std::move(file)).has_value());
}

TEST_P(Failure, AReadThatMeetsABadBlock) {
  for (const bool asynchronous : {false, true}) {
    auto file = open("fail-read-at=100001,errno=EIO");
    ASSERT_NE(file, nullptr);
    const auto says = std::make_shared<test::Statement>();
    if (asynchronous) says->facts = [](DeviceFacts& facts) { facts.asynchronous = true; };
    file->device = Device(std::make_unique<test::RestatedDevice>(std::move(file->device), says));
    const FileRange range = mine();
    std::vector<std::byte> memory(static_cast<std::size_t>(range.bytes) + 1);
    const Access access{Direction::read, range, {Pattern::run(range.bytes), memory.data()}};
    expect_same_failure(transfer_collective(*file, access, std::nullopt), ErrorKind::io);
    for (const Scratch& window : file->collective->windows) EXPECT_FALSE(window.lent());
    EXPECT_TRUE(close_file(std::move(file)).has_value());
  }
}

TEST_P(Failure, ARankThatRefusesStaysInStep) {
  auto file = open("delay-us=0");
  ASSERT_NE(file, nullptr);
  const FileRange range = mine();
  std::vector<std::byte> memory(static_cast<std::size_t>(range.bytes) + 1);
  const bool refuses = world_rank() == world_size() - 1;
  const Access access{
      Direction::write, refuses ? FileRange{} : range, {Pattern::run(range.bytes), memory.data()}};
  const auto moved = transfer_collective(
      *file, access,
      refuses ? std::optional(Error{ErrorKind::invalid_count, "a bad count"}) : std::nullopt);
  ASSERT_FALSE(moved.has_value());
  EXPECT_EQ(moved.error().kind, ErrorKind::invalid_count);
  MPI_Barrier(MPI_COMM_WORLD);
  auto plain = open_device(path_, {.read = true});
  std::vector<std::byte> contents(kElements * 4);
  ASSERT_TRUE(plain->read(0, contents).has_value());
  EXPECT_TRUE(std::all_of(contents.begin(), contents.end(), [](std::byte b) { return b == kOld; }));
  EXPECT_TRUE(close_file(std::move(file)).has_value());
}

// Somebody cuts the file while owners look at a mapping of it: one error, and the memory that was
// lent for it is back.
TEST_P(Failure, AFileThatIsCutWhileItIsMapped) {
  auto file = open("delay-us=0");
  ASSERT_NE(file, nullptr);
  auto plain = open_device(path_, {.read = true, .write = true});
  ASSERT_TRUE(plain.has_value());
  if (!(*plain)->facts().maps_reads) return (void)close_file(std::move(file));
  const auto cut = std::make_shared<test::Statement>();
  int cuts = 0;
  cut->before_look = [&] {
    EXPECT_EQ(truncate(path_.c_str(), 0), 0);
    cuts = 1;
  };
  file->device = Device(std::make_unique<test::RestatedDevice>(std::move(*plain), cut));
  const FileRange range = mine();
  std::vector<std::byte> memory(static_cast<std::size_t>(range.bytes) + 1);
  const Access access{Direction::read, range, {Pattern::run(range.bytes), memory.data()}};
  // Not every engine looks at a mapping, nor does a rank alone; then the file is whole.
  const auto moved = transfer_collective(*file, access, std::nullopt);
  if (!moved) expect_same_failure(moved, ErrorKind::io);
  const bool looks = GetParam().transport == TransportChoice::shared && world_size() > 1 &&
                     file->collective->peers.available();
  MPI_Allreduce(MPI_IN_PLACE, &cuts, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (looks) {
    EXPECT_EQ(cuts, 1);
  }
  EXPECT_EQ(moved.has_value(), cuts == 0);
  for (const Scratch& window : file->collective->windows) EXPECT_FALSE(window.lent());
  EXPECT_FALSE(file->collective->slots.lent());
  EXPECT_TRUE(close_file(std::move(file)).has_value());
}

INSTANTIATE_TEST_SUITE_P(Engines, Failure,
                         ::testing::Values(Setup{"two-phase", TransportChoice::shared},
                                           Setup{"two-phase", TransportChoice::arena},
                                           Setup{"two-phase", TransportChoice::messages},
                                           Setup{"multi-phase", TransportChoice::messages},
                                           Setup{"resonant", TransportChoice::shared, "striped:"},
                                           Setup{"resonant", TransportChoice::messages, "striped:"},
                                           Setup{"list", TransportChoice::automatic}));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
