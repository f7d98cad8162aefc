// ranks: 1 2 3 4 7
// Everybody to everybody, as if every rank, every other rank or no rank were on a node of its own.
#include "exec/mailbag.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/mpi_main.hpp"

namespace tutti {
namespace {

using test::world_rank;
using test::world_size;

// Some empty, some of one segment, some of several.
std::int64_t bytes_between(int from, int to) {
  constexpr std::int64_t kSizes[] = {0, 1, 65536, 65537, 300'000, 131'072};
  return kSizes[(from * 3 + to) % 6];
}

std::byte content(int from, int to, std::int64_t at) {
  return static_cast<std::byte>(from * 7 + to * 13 + at + at / 509);
}

class Mailbags : public ::testing::TestWithParam<int> {
 protected:
  // The parameter: ranks per node.
  static std::vector<std::int32_t> nodes() {
    std::vector<std::int32_t> node_of(static_cast<std::size_t>(world_size()));
    for (int r = 0; r < world_size(); ++r)
      node_of[static_cast<std::size_t>(r)] = r / GetParam() * GetParam();
    return node_of;
  }
};

TEST_P(Mailbags, EverythingArrives) {
  const auto node_of = nodes();
  Counters counters;
  Mailbag bag(MPI_COMM_WORLD, 5, counters, node_of);
  std::vector<std::vector<std::byte>> in(static_cast<std::size_t>(world_size()));
  std::vector<std::vector<std::byte>> out(in.size());
  std::int64_t sent = 0;
  for (int peer = 0; peer < world_size(); ++peer) {
    if (peer == world_rank()) continue;
    auto& landing = in[static_cast<std::size_t>(peer)];
    landing.resize(static_cast<std::size_t>(bytes_between(peer, world_rank())));
    bag.receive(peer, landing.data(), std::ssize(landing));
  }
  for (int peer = 0; peer < world_size(); ++peer) {
    if (peer == world_rank()) continue;
    auto& leaving = out[static_cast<std::size_t>(peer)];
    for (std::int64_t at = 0; at < bytes_between(world_rank(), peer); ++at)
      leaving.push_back(content(world_rank(), peer, at));
    bag.send(peer, leaving.data(), std::ssize(leaving));
    sent += std::ssize(leaving);
  }
  EXPECT_TRUE(bag.wait());
  EXPECT_EQ(counters.bytes_sent, sent);
  for (int peer = 0; peer < world_size(); ++peer) {
    const auto& landed = in[static_cast<std::size_t>(peer)];
    bool right = true;
    for (std::int64_t at = 0; at < std::ssize(landed); ++at)
      right = right && landed[static_cast<std::size_t>(at)] == content(peer, world_rank(), at);
    EXPECT_TRUE(right) << "from " << peer;
  }
}

TEST_P(Mailbags, APartnerWithoutBytesIsNoticed) {
  if (world_size() < 2) return;
  const auto node_of = nodes();
  constexpr std::int64_t kBytes = 200'000;
  Counters counters;
  Mailbag bag(MPI_COMM_WORLD, 6, counters, node_of);
  std::vector<std::byte> memory(static_cast<std::size_t>(kBytes));
  const int next = (world_rank() + 1) % world_size();
  const int last = (world_rank() + world_size() - 1) % world_size();
  bag.receive(last, memory.data(), kBytes);
  if (world_rank() == 0)
    bag.send_nothing(next, kBytes);
  else
    bag.send(next, memory.data(), kBytes);
  EXPECT_EQ(bag.wait(), world_rank() > 1);
}

INSTANTIATE_TEST_SUITE_P(RanksPerNode, Mailbags, ::testing::Values(1, 2, 100));

}  // namespace
}  // namespace tutti

int main(int argc, char** argv) { return tutti::test::mpi_main(argc, argv); }
