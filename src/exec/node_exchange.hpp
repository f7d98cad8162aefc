// The exchange of ranks on one node: they meet in their block and read from each other's memory. No
// MPI call is made, so any thread may speak.
#pragma once

#include "exec/peer_memory.hpp"
#include "inspect/exchange.hpp"
#include "mpi/node_block.hpp"

namespace tutti {

class NodeExchange final : public Exchange {
 public:
  // REQUIRES: both available when it is used, and a block with slots of 32 bytes at least.
  NodeExchange(NodeBlock& node, const PeerMemory& peers) : node_(node), peers_(peers) {}

  Status tell_all(std::span<const std::byte> mine, std::byte* all) override;
  Status gather(std::span<const std::byte> mine, std::span<const std::int64_t> sizes,
                std::byte* all) override;
  Result<std::vector<Bytes>> deliver(std::span<const Letter> letters,
                                     std::span<const int> from) override;
  Status agree(const std::optional<Error>& failure) override;
  void barrier() override { node_.barrier(); }

 private:
  NodeBlock& node_;
  const PeerMemory& peers_;
};

}  // namespace tutti
