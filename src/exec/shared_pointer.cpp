#include "exec/shared_pointer.hpp"

#include <utility>
#include <vector>

#include "exec/collective_state.hpp"
#include "exec/open_file.hpp"
#include "mpi/call.hpp"
#include "mpi/meeting.hpp"
#include "mpi/patience.hpp"

namespace tutti {

SharedPointer::~SharedPointer() {
  if (service_) service_->remove(address_);
}

void SharedPointer::find_place(MPI_Comm comm) {
  int ranks = 1;
  PMPI_Comm_rank(comm, &rank_);
  PMPI_Comm_size(comm, &ranks);
  if (ranks > 1) counters_ = counters_of(comm);
  if (rank_ != 0) return;
  if (counters_ == nullptr) {
    own_ = std::make_unique<Counters2>();
    counters_ = own_.get();
  }
  // The block may have served another file.
  for (auto& counter : *counters_) counter = 0;
}

Status SharedPointer::connect(MPI_Comm comm) {
  int ranks = 1;
  PMPI_Comm_size(comm, &ranks);
  if (ranks == 1 || counters_of(comm) != nullptr) return {};
  if (rank_ == 0)
    if (auto running = CounterService::of_process()) {
      service_ = std::move(*running);
      address_ = service_->add(*own_);
    }
  return tell_from_first(comm, std::as_writable_bytes(std::span(&address_, 1)));
}

Result<std::int64_t> SharedPointer::advance(std::int64_t bytes) {
  if (counters_ != nullptr)
    return base_ + (*counters_)[current_].fetch_add(bytes, std::memory_order_relaxed);
  const auto before = caller_.fetch_add(address_, static_cast<int>(current_), bytes);
  if (!before) return before;
  return base_ + *before;
}

void SharedPointer::prepare() {
  if (rank_ == 0) (*counters_)[1 - current_] = 0;
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
