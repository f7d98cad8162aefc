#include "exec/shared_pointer.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "exec/collective_state.hpp"
#include "exec/open_file.hpp"
#include "mpi/call.hpp"
#include "mpi/patience.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace tutti {

namespace {

enum Word : std::uint8_t { node, other_node, keeper_node, keeper_pid, keeper_descriptor };

// Equal in processes that can open each other's descriptors through /proc.
std::uint64_t find_node_identity() {
  struct {
    char boot[64] = {};
    std::uint64_t process_names = 0;
    std::uint64_t user = 0;
    std::uint64_t alone = 0;
  } facts;
  if (FILE* const boot_id = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
    (void)!std::fread(facts.boot, 1, sizeof facts.boot, boot_id);
    std::fclose(boot_id);
  }
  struct stat names {};
  const bool named = stat("/proc/self/ns/pid", &names) == 0;
  facts.process_names = names.st_ino;
  facts.user = geteuid();
  if (!named || prctl(PR_GET_DUMPABLE) != 1) facts.alone = static_cast<std::uint64_t>(getpid());
  return XXH3_64bits(&facts, sizeof facts) >> 1;  // never the largest value: ranks compare these
}

std::uint64_t node_identity() {
  static const std::uint64_t identity = find_node_identity();
  return identity;
}

Counters2* map_counters(int descriptor) {
  if (descriptor < 0) return nullptr;
  void* const made =
      mmap(nullptr, sizeof(Counters2), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return made == MAP_FAILED ? nullptr : static_cast<Counters2*>(made);
}

}  // namespace

SharedPointer::~SharedPointer() {
  service_.reset();
  Counters2* const counters = counters_.load();
  if (counters != nullptr && counters != own_.get()) munmap(counters, sizeof(Counters2));
  if (descriptor_ >= 0) close(descriptor_);
}

SharedPointer::Words SharedPointer::introduce(int rank, int ranks, bool maps_memory) {
  rank_ = rank;
  maps_memory_ = maps_memory;
  if (ranks == 1) {
    own_ = std::make_unique<Counters2>();
    counters_ = own_.get();
    return {};
  }
  const std::uint64_t here = maps_memory ? node_identity() : static_cast<std::uint64_t>(rank);
  Words words{};
  words[Word::node] = here;
  words[Word::other_node] = ~here;
  if (rank != 0) return words;
  descriptor_ = memfd_create("tutti", MFD_CLOEXEC);
  if (descriptor_ >= 0 && ftruncate(descriptor_, sizeof(Counters2)) != 0) {
    close(descriptor_);
    descriptor_ = -1;
  }
  words[Word::keeper_node] = here;
  words[Word::keeper_pid] = static_cast<std::uint64_t>(getpid());
  words[Word::keeper_descriptor] = static_cast<std::uint64_t>(descriptor_) + 1;
  return words;
}

Status SharedPointer::meet(MPI_Comm comm, const Words& largest) {
  if (own_) return {};
  const bool together = largest[Word::node] == ~largest[Word::other_node];
  keeper_pid_ = largest[Word::keeper_pid];
  keeper_descriptor_ = static_cast<int>(largest[Word::keeper_descriptor]) - 1;
  if (together && keeper_descriptor_ >= 0) return {};
  // The keeper can always reach its own counters; others of its node may.
  maps_memory_ = keeper_descriptor_ >= 0 &&
                 (rank_ == 0 || (maps_memory_ && node_identity() == largest[Word::keeper_node]));
  if (rank_ == 0) {
    if (mapped() == nullptr) {
      own_ = std::make_unique<Counters2>();
      counters_ = own_.get();
    }
    if (auto started = CounterService::start(*counters_.load())) {
      service_ = std::move(*started);
      address_ = service_->address();
    }
  }
  return mpi_status(PMPI_Bcast(&address_, sizeof address_, MPI_BYTE, 0, comm), "MPI_Bcast");
}

Counters2* SharedPointer::mapped() {
  if (Counters2* known = counters_.load(std::memory_order_acquire)) return known;
  if (!maps_memory_) return nullptr;
  const std::lock_guard guard(mapping_);
  if (Counters2* known = counters_.load(std::memory_order_relaxed)) return known;
  const std::string path =
      "/proc/" + std::to_string(keeper_pid_) + "/fd/" + std::to_string(keeper_descriptor_);
  const int descriptor = rank_ == 0 ? descriptor_ : open(path.c_str(), O_RDWR | O_CLOEXEC);
  Counters2* const made = map_counters(descriptor);
  if (rank_ != 0 && descriptor >= 0) close(descriptor);
  counters_.store(made, std::memory_order_release);
  return made;
}

Result<std::int64_t> SharedPointer::advance(std::int64_t bytes) {
  if (Counters2* const counters = mapped())
    return base_ + (*counters)[current_].fetch_add(bytes, std::memory_order_relaxed);
  const auto before = caller_.fetch_add(address_, static_cast<int>(current_), bytes);
  if (!before) return before;
  return base_ + *before;
}

void SharedPointer::prepare() {
  if (rank_ != 0) return;
  // Nobody has touched memory that was never mapped; it holds zeros.
  if (Counters2* const counters = mapped()) (*counters)[1 - current_] = 0;
}

void SharedPointer::set(std::int64_t position) {
  current_ = 1 - current_;
  base_ = position;
}

namespace {

struct Wish {
  std::int64_t bytes = 0;
  std::int64_t refused = 0;
};

struct Start {
  std::int64_t place = 0;
  std::int64_t outcome = 0;  // 0: advanced, 1: somebody refused, 2: the pointer cannot be reached
};

Start start_for(SharedPointer& pointer, const Wish& total) {
  if (total.refused != 0) return {0, 1};
  const auto place = pointer.advance(total.bytes);
  return place ? Start{*place, 0} : Start{0, 2};
}

// Collective. Through the block of one node: everybody sees every wish, rank 0 advances.
Start order_on_node(OpenFile& file, NodeBlock& block, const Wish& mine, std::int64_t& before_me) {
  std::vector<Wish> all(static_cast<std::size_t>(file.ranks));
  block.gather(std::as_bytes(std::span(&mine, 1)), reinterpret_cast<std::byte*>(all.data()));
  Wish total;
  for (int r = 0; r < file.ranks; ++r) {
    if (r == file.rank) before_me = total.bytes;
    total.bytes += all[static_cast<std::size_t>(r)].bytes;
    total.refused += all[static_cast<std::size_t>(r)].refused;
  }
  Start start;
  if (file.rank == 0) start = start_for(file.shared_pointer, total);
  std::vector<Start> starts(static_cast<std::size_t>(file.ranks));
  block.gather(std::as_bytes(std::span(&start, 1)), reinterpret_cast<std::byte*>(starts.data()));
  return starts[0];
}

// Collective. By messages: the last rank knows the sum first and advances.
Result<Start> order_by_messages(OpenFile& file, const Wish& mine, std::int64_t& before_me) {
  Wish before;
  const MPI_Comm comm = file.comm.get();
  const int code = meet_patiently([&](MPI_Request* request) {
    return PMPI_Iexscan(&mine, &before, 2, MPI_INT64_T, MPI_SUM, comm, request);
  });
  if (auto summed = mpi_status(code, "MPI_Iexscan"); !summed)
    return tl::make_unexpected(summed.error());
  if (file.rank == 0) before = {};
  before_me = before.bytes;
  Start start;
  const int last = file.ranks - 1;
  if (file.rank == last)
    start =
        start_for(file.shared_pointer, {before.bytes + mine.bytes, before.refused + mine.refused});
  // The first ranks are through with the sum before the last one has come.
  const int told = meet_patiently([&](MPI_Request* request) {
    return PMPI_Ibcast(&start, 2, MPI_INT64_T, last, comm, request);
  });
  if (auto sent = mpi_status(told, "MPI_Ibcast"); !sent) return tl::make_unexpected(sent.error());
  return start;
}

}  // namespace

Result<std::optional<std::int64_t>> advance_in_order(OpenFile& file,
                                                     std::optional<std::int64_t> bytes) {
  const auto state = collective_state(file);
  if (!state) return tl::make_unexpected(state.error());
  const Wish mine{bytes.value_or(0), bytes ? 0 : 1};
  std::int64_t before_me = 0;
  Result<Start> start;
  if (NodeBlock* const block = (*state)->node_block())
    start = order_on_node(file, *block, mine, before_me);
  else
    start = order_by_messages(file, mine, before_me);
  if (!start) return tl::make_unexpected(start.error());
  if (start->outcome == 2)
    return fail(ErrorKind::io, "the process that keeps the shared file pointer cannot be reached");
  if (start->outcome == 1) return std::optional<std::int64_t>();
  return std::optional<std::int64_t>(start->place + before_me);
}

}  // namespace tutti
