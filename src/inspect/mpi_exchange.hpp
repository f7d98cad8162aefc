// The exchange by MPI; ranks of one node use their block for what fits into it.
#pragma once

#include <mpi.h>

#include "inspect/exchange.hpp"
#include "mpi/mpi_caller.hpp"
#include "mpi/node_block.hpp"

namespace tutti {

class MpiExchange final : public Exchange {
 public:
  // `node` is null where ranks do not share a node.
  MpiExchange(MPI_Comm comm, NodeBlock* node, MpiCaller& caller)
      : comm_(comm), node_(node), caller_(caller) {}

  Status tell_all(std::span<const std::byte> mine, std::byte* all) override;
  Status gather(std::span<const std::byte> mine, std::span<const std::int64_t> sizes,
                std::byte* all) override;
  Result<std::vector<Bytes>> deliver(std::span<const Letter> letters,
                                     std::span<const int> from) override;
  Status agree(const std::optional<Error>& failure) override;
  void barrier() override;

 private:
  // Starts a collective MPI operation by start(request) and waits for it.
  template <class Start>
  int wait_for(const Start& start);

  Status share_error(int rank, int self, const std::optional<Error>& failure);

  MPI_Comm comm_;
  NodeBlock* node_;
  MpiCaller& caller_;
};

}  // namespace tutti
