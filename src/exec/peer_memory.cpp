#include "exec/peer_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "mpi/meeting.hpp"

namespace tutti {

namespace {

constexpr std::size_t kMaxPieces = 1024;  // the kernel's limit for one call
constexpr std::uint64_t kMagic = 0x7475747469210a01ULL;

using VmCall = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                           unsigned long);

std::int64_t total_bytes(std::span<const iovec> pieces) {
  std::int64_t total = 0;
  for (const iovec& piece : pieces) total += static_cast<std::int64_t>(piece.iov_len);
  return total;
}

// Drops the first `bytes` bytes of `pieces`.
std::span<iovec> without_first(std::span<iovec> pieces, std::int64_t bytes) {
  auto left = static_cast<std::size_t>(bytes);
  while (!pieces.empty() && left >= pieces[0].iov_len) {
    left -= pieces[0].iov_len;
    pieces = pieces.subspan(1);
  }
  if (left > 0) {
    pieces[0].iov_base = static_cast<std::byte*>(pieces[0].iov_base) + left;
    pieces[0].iov_len -= left;
  }
  return pieces;
}

Status move_all(VmCall call, pid_t pid, std::uint64_t address, std::span<iovec> local) {
  while (!local.empty()) {
    const auto some = local.first(std::min(local.size(), kMaxPieces));
    const iovec remote{reinterpret_cast<void*>(address),
                       static_cast<std::size_t>(total_bytes(some))};
    if (remote.iov_len == 0) {
      local = local.subspan(some.size());
      continue;
    }
    const ssize_t moved = call(pid, some.data(), some.size(), &remote, 1, 0);
    if (moved <= 0) {
      if (moved < 0 && errno == EINTR) continue;
      return fail(ErrorKind::internal, "the memory of a process on this node cannot be reached");
    }
    address += static_cast<std::uint64_t>(moved);
    local = without_first(local, moved);
  }
  return {};
}

// Whether this rank reads and changes `word` in its neighbour.
bool try_neighbour(const PeerMemory& memory, int neighbour, std::uint64_t address) {
  std::uint64_t seen = 0;
  iovec here{&seen, sizeof seen};
  if (!memory.pull(neighbour, address, {&here, 1}) || seen != kMagic) return false;
  std::uint64_t changed = kMagic + 1;
  here = {&changed, sizeof changed};
  return memory.push(neighbour, address, {&here, 1}).has_value();
}

}  // namespace

Status PeerMemory::pull(int peer, std::uint64_t address, std::span<iovec> local) const {
  return move_all(process_vm_readv, pids_[static_cast<std::size_t>(peer)], address, local);
}

Status PeerMemory::push(int peer, std::uint64_t address, std::span<iovec> local) const {
  return move_all(process_vm_writev, pids_[static_cast<std::size_t>(peer)], address, local);
}

Result<PeerMemory> PeerMemory::probe(MPI_Comm comm, std::span<const std::int32_t> node_of) {
  PeerMemory memory;
  int rank = 0;
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  struct Where {
    std::uint64_t address;
    std::int64_t pid;
  };
  // Volatile, because a neighbour changes it behind the compiler's back.
  volatile std::uint64_t word = kMagic;
  const Where mine{reinterpret_cast<std::uint64_t>(&word), getpid()};
  std::vector<Where> all(static_cast<std::size_t>(ranks));
  if (auto told = gather_from_all(comm, std::as_bytes(std::span(&mine, 1)),
                                  reinterpret_cast<std::byte*>(all.data()));
      !told)
    return tl::make_unexpected(told.error());
  for (const Where& where : all) memory.pids_.push_back(static_cast<pid_t>(where.pid));
  for (const std::int32_t node : node_of)
    memory.near_.push_back(node == node_of[static_cast<std::size_t>(rank)]);
  int neighbour = (rank + 1) % ranks;
  while (!memory.near_[static_cast<std::size_t>(neighbour)]) neighbour = (neighbour + 1) % ranks;
  std::int64_t worked =
      try_neighbour(memory, neighbour, all[static_cast<std::size_t>(neighbour)].address) ? 1 : 0;
  if (auto agreed = least_of_all(comm, {&worked, 1}); !agreed)
    return tl::make_unexpected(agreed.error());
  // The neighbour on the other side has written by now; a wrong value means a process-id clash.
  if (word != kMagic + 1) worked = 0;
  if (auto agreed = least_of_all(comm, {&worked, 1}); !agreed)
    return tl::make_unexpected(agreed.error());
  memory.available_ = worked != 0;
  return memory;
}

}  // namespace tutti
