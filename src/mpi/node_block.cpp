#include "mpi/node_block.hpp"

#include <cstring>
#include <utility>

namespace tutti {

namespace {

constexpr std::size_t kHeaderBytes = 128;

}  // namespace

Result<NodeBlock> NodeBlock::create(MPI_Comm comm, std::int64_t slot_bytes) {
  static_assert(sizeof(Header) <= kHeaderBytes);
  NodeBlock block;
  PMPI_Comm_rank(comm, &block.rank_);
  PMPI_Comm_size(comm, &block.ranks_);
  block.slot_bytes_ = (slot_bytes + 63) / 64 * 64;
  const auto slots = 2 * static_cast<std::size_t>(block.ranks_ * block.slot_bytes_);
  auto memory = SharedMemory::create(comm, kHeaderBytes + slots);
  if (!memory) return tl::make_unexpected(memory.error());
  block.memory_ = std::move(*memory);
  return block;
}

std::byte* NodeBlock::slot(int rank) const {
  return memory_.data() + kHeaderBytes + ((odd_ ? ranks_ : 0) + rank) * slot_bytes_;
}

void NodeBlock::barrier() {
  Header* const header = reinterpret_cast<Header*>(memory_.data());
  const std::uint32_t now = header->generation.value.load();
  if (header->arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(ranks_)) {
    header->arrived.store(0);
    return header->generation.set(now + 1);
  }
  header->generation.wait_until([now](std::uint32_t seen) { return seen != now; }, while_waiting_);
}

void NodeBlock::gather(std::span<const std::byte> mine, std::byte* all) {
  std::memcpy(slot(rank_), mine.data(), mine.size());
  barrier();
  for (int r = 0; r < ranks_; ++r)
    std::memcpy(all + static_cast<std::size_t>(r) * mine.size(), slot(r), mine.size());
  odd_ = !odd_;
}

}  // namespace tutti
