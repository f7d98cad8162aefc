#include "mpi/meeting.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "mpi/call.hpp"
#include "mpi/patience.hpp"

namespace tutti {

namespace {

int drop_block(MPI_Comm, int, void* value, void*) {
  delete static_cast<NodeBlock*>(value);
  return MPI_SUCCESS;
}

// MPI finds attributes by a key that is made once.
int block_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_block, &made, nullptr);
    return made;
  }();
  return key;
}

// The block of `comm` if it has one and `bytes` fit.
NodeBlock* block_for(MPI_Comm comm, std::size_t bytes) {
  void* value = nullptr;
  int found = 0;
  if (bytes > std::size_t{kMeetingBytes} || block_key() == MPI_KEYVAL_INVALID ||
      PMPI_Comm_get_attr(comm, block_key(), &value, &found) != MPI_SUCCESS || found == 0)
    return nullptr;
  return static_cast<NodeBlock*>(value);
}

template <class Word, class Choose>
void reduce_in(NodeBlock& block, std::span<Word> values, const Choose& choose) {
  std::vector<Word> all(values.size() * static_cast<std::size_t>(block.ranks()));
  block.gather(std::as_bytes(values), reinterpret_cast<std::byte*>(all.data()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    Word& value = values[i % values.size()];
    value = choose(value, all[i]);
  }
}

template <class Word>
Status reduce_by_messages(MPI_Comm comm, std::span<Word> values, MPI_Datatype type, MPI_Op op) {
  const int count = static_cast<int>(values.size());
  return mpi_status(meet_patiently([&](MPI_Request* request) {
                      return PMPI_Iallreduce(MPI_IN_PLACE, values.data(), count, type, op, comm,
                                             request);
                    }),
                    "MPI_Iallreduce");
}

}  // namespace

Status attach_block(MPI_Comm comm, NodeBlock block) {
  auto held = std::make_unique<NodeBlock>(std::move(block));
  if (auto set = mpi_status(PMPI_Comm_set_attr(comm, block_key(), held.get()), "MPI_Comm_set_attr");
      !set)
    return set;
  (void)held.release();
  return {};
}

Counters2* counters_of(MPI_Comm comm) {
  NodeBlock* const block = block_for(comm, 0);
  return block == nullptr ? nullptr : &block->counters();
}

Status least_of_all(MPI_Comm comm, std::span<std::int64_t> values) {
  if (NodeBlock* const block = block_for(comm, values.size_bytes())) {
    reduce_in(*block, values, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
    return {};
  }
  return reduce_by_messages(comm, values, MPI_INT64_T, MPI_MIN);
}

Status largest_of_all(MPI_Comm comm, std::span<std::uint64_t> values) {
  if (NodeBlock* const block = block_for(comm, values.size_bytes())) {
    reduce_in(*block, values, [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
    return {};
  }
  return reduce_by_messages(comm, values, MPI_UINT64_T, MPI_MAX);
}

Status gather_from_all(MPI_Comm comm, std::span<const std::byte> mine, std::byte* all) {
  if (NodeBlock* const block = block_for(comm, mine.size())) {
    block->gather(mine, all);
    return {};
  }
  const int bytes = static_cast<int>(mine.size());
  return mpi_status(meet_patiently([&](MPI_Request* request) {
                      return PMPI_Iallgather(mine.data(), bytes, MPI_BYTE, all, bytes, MPI_BYTE,
                                             comm, request);
                    }),
                    "MPI_Iallgather");
}

Status tell_from_first(MPI_Comm comm, std::span<std::byte> bytes) {
  if (NodeBlock* const block = block_for(comm, bytes.size())) {
    std::vector<std::byte> all(bytes.size() * static_cast<std::size_t>(block->ranks()));
    block->gather(bytes, all.data());
    std::copy_n(all.begin(), bytes.size(), bytes.begin());
    return {};
  }
  const int count = static_cast<int>(bytes.size());
  return mpi_status(meet_patiently([&](MPI_Request* request) {
                      return PMPI_Ibcast(bytes.data(), count, MPI_BYTE, 0, comm, request);
                    }),
                    "MPI_Ibcast");
}

}  // namespace tutti
