#include "mpi/node_block.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <ctime>
#include <string>
#include <thread>
#include <utility>

#include "mpi/call.hpp"

namespace tutti {

namespace {

constexpr std::size_t kHeaderBytes = 128;
// Turns given up before sleeping: ranks that arrive together meet without a system call that wakes.
constexpr int kSpins = 20;

// Sleeps while *word == value. Wakes now and then by itself, so that nothing hangs on a lost
// wake-up.
void sleep_on(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  const timespec while_long{1, 0};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &while_long, nullptr, 0);
}

void wake_all(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Where the other ranks find the file behind the block.
struct Where {
  std::int64_t pid = 0;
  std::int64_t descriptor = -1;
};

void* map_shared(int descriptor, std::size_t bytes) {
  if (descriptor < 0) return nullptr;
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

int make_memory(std::size_t bytes) {
  const int descriptor = memfd_create("tutti", MFD_CLOEXEC);
  if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
    close(descriptor);
    return -1;
  }
  return descriptor;
}

}  // namespace

NodeBlock::NodeBlock(NodeBlock&& other) noexcept { *this = std::move(other); }

NodeBlock& NodeBlock::operator=(NodeBlock&& other) noexcept {
  std::swap(header_, other.header_);
  std::swap(mapped_bytes_, other.mapped_bytes_);
  std::swap(slot_bytes_, other.slot_bytes_);
  std::swap(rank_, other.rank_);
  std::swap(ranks_, other.ranks_);
  std::swap(odd_, other.odd_);
  return *this;
}

NodeBlock::~NodeBlock() {
  if (header_ != nullptr) munmap(header_, mapped_bytes_);
}

Result<NodeBlock> NodeBlock::create(MPI_Comm comm, std::int64_t slot_bytes) {
  NodeBlock block;
  PMPI_Comm_rank(comm, &block.rank_);
  PMPI_Comm_size(comm, &block.ranks_);
  block.slot_bytes_ = (slot_bytes + 63) / 64 * 64;
  block.mapped_bytes_ =
      kHeaderBytes + 2 * static_cast<std::size_t>(block.ranks_ * block.slot_bytes_);
  Where where;
  int descriptor = -1;
  if (block.rank_ == 0) {
    descriptor = make_memory(block.mapped_bytes_);
    where = {getpid(), descriptor};
  }
  if (auto told = mpi_status(PMPI_Bcast(&where, sizeof where, MPI_BYTE, 0, comm), "MPI_Bcast");
      !told)
    return tl::make_unexpected(told.error());
  if (block.rank_ != 0 && where.descriptor >= 0)
    descriptor = open(
        ("/proc/" + std::to_string(where.pid) + "/fd/" + std::to_string(where.descriptor)).c_str(),
        O_RDWR | O_CLOEXEC);
  void* mapped = map_shared(descriptor, block.mapped_bytes_);
  int worked = mapped != nullptr ? 1 : 0;
  int all_worked = 0;
  // Also keeps rank 0's descriptor open until everybody has opened it.
  const int code = PMPI_Allreduce(&worked, &all_worked, 1, MPI_INT, MPI_MIN, comm);
  if (descriptor >= 0) close(descriptor);
  if (all_worked != 0) {
    block.header_ = static_cast<Header*>(mapped);
  } else if (mapped != nullptr) {
    munmap(mapped, block.mapped_bytes_);
  }
  if (auto agreed = mpi_status(code, "MPI_Allreduce"); !agreed)
    return tl::make_unexpected(agreed.error());
  return block;
}

std::byte* NodeBlock::slot(int rank) const {
  return reinterpret_cast<std::byte*>(header_) + kHeaderBytes +
         ((odd_ ? ranks_ : 0) + rank) * slot_bytes_;
}

void NodeBlock::barrier() {
  const std::uint32_t now = header_->generation.load(std::memory_order_acquire);
  if (header_->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
      static_cast<std::uint32_t>(ranks_)) {
    header_->arrived.store(0, std::memory_order_relaxed);
    header_->generation.store(now + 1, std::memory_order_release);
    wake_all(header_->generation);
    return;
  }
  for (int i = 0; i < kSpins; ++i) {
    if (header_->generation.load(std::memory_order_acquire) != now) return;
    std::this_thread::yield();
  }
  while (header_->generation.load(std::memory_order_acquire) == now)
    sleep_on(header_->generation, now);
}

void NodeBlock::gather(std::span<const std::byte> mine, std::byte* all) {
  std::memcpy(slot(rank_), mine.data(), mine.size());
  barrier();
  for (int r = 0; r < ranks_; ++r)
    std::memcpy(all + static_cast<std::size_t>(r) * mine.size(), slot(r), mine.size());
  odd_ = !odd_;
}

}  // namespace tutti
