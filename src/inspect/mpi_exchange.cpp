#include "inspect/mpi_exchange.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "mpi/agree.hpp"
#include "mpi/call.hpp"
#include "mpi/patience.hpp"

namespace tutti {

namespace {

constexpr int kSizeTag = 1;
constexpr int kLetterTag = 2;

// Collective. Ranks of one node look at each other's outcome; words are exchanged only about
// failures.
bool nobody_failed(NodeBlock& node, const std::optional<Error>& failure) {
  const std::int64_t mine = failure ? 1 : 0;
  std::vector<std::int64_t> all(static_cast<std::size_t>(node.ranks()));
  node.gather(std::as_bytes(std::span(&mine, 1)), reinterpret_cast<std::byte*>(all.data()));
  return std::all_of(all.begin(), all.end(), [](std::int64_t failed) { return failed == 0; });
}

}  // namespace

template <class Start>
int MpiExchange::wait_for(const Start& start) {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  caller_.make([&] { code = start(&request); });
  if (code != MPI_SUCCESS) return code;
  return caller_.complete({&request, 1}, MPI_STATUSES_IGNORE);
}

Status MpiExchange::tell_all(std::span<const std::byte> mine, std::byte* all) {
  if (node_ != nullptr) {
    node_->gather(mine, all);
    return {};
  }
  const int bytes = static_cast<int>(mine.size());
  // The first meeting of a call.
  const auto start = [&](MPI_Request* request) {
    return PMPI_Iallgather(mine.data(), bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm_, request);
  };
  const int code = caller_.may_block() ? meet_patiently(start) : wait_for(start);
  return mpi_status(code, "MPI_Allgather");
}

Status MpiExchange::gather(std::span<const std::byte> mine, std::span<const std::int64_t> sizes,
                           std::byte* all) {
  std::vector<int> counts;
  std::vector<int> starts;
  int total = 0;
  for (const std::int64_t size : sizes) {
    counts.push_back(static_cast<int>(size));
    starts.push_back(total);
    total += counts.back();
  }
  const int bytes = static_cast<int>(mine.size());
  const int code = caller_.may_block()
                       ? PMPI_Allgatherv(mine.data(), bytes, MPI_BYTE, all, counts.data(),
                                         starts.data(), MPI_BYTE, comm_)
                       : wait_for([&](MPI_Request* request) {
                           return PMPI_Iallgatherv(mine.data(), bytes, MPI_BYTE, all, counts.data(),
                                                   starts.data(), MPI_BYTE, comm_, request);
                         });
  return mpi_status(code, "MPI_Allgatherv");
}

Result<std::vector<Bytes>> MpiExchange::deliver(std::span<const Letter> letters,
                                                std::span<const int> from) {
  const std::size_t sent = letters.size();
  std::vector<std::int64_t> sizes(sent + from.size());
  std::vector<MPI_Request> requests(2 * sent + from.size(), MPI_REQUEST_NULL);
  std::vector<Bytes> received(from.size());
  bool sound = true;
  const auto note = [&](int code) { sound = sound && code == MPI_SUCCESS; };
  caller_.make([&] {
    for (std::size_t i = 0; i < from.size(); ++i)
      note(PMPI_Irecv(&sizes[sent + i], 1, MPI_INT64_T, from[i], kSizeTag, comm_,
                      &requests[2 * sent + i]));
    for (std::size_t i = 0; i < sent; ++i) {
      const Bytes& body = letters[i].body;
      sizes[i] = std::ssize(body);
      note(PMPI_Isend(&sizes[i], 1, MPI_INT64_T, letters[i].peer, kSizeTag, comm_, &requests[i]));
      note(PMPI_Isend(body.data(), static_cast<int>(body.size()), MPI_BYTE, letters[i].peer,
                      kLetterTag, comm_, &requests[sent + i]));
    }
  });
  note(caller_.complete(std::span(requests).subspan(2 * sent), MPI_STATUSES_IGNORE));
  for (std::size_t i = 0; i < from.size(); ++i)
    received[i].resize(static_cast<std::size_t>(sizes[sent + i]));
  caller_.make([&] {
    for (std::size_t i = 0; i < from.size(); ++i)
      note(PMPI_Irecv(received[i].data(), static_cast<int>(received[i].size()), MPI_BYTE, from[i],
                      kLetterTag, comm_, &requests[2 * sent + i]));
  });
  note(caller_.complete(requests, MPI_STATUSES_IGNORE));
  if (!sound) return fail(ErrorKind::internal, "a description could not be sent");
  return received;
}

// Collective. The error that `rank` holds, on every rank.
Status MpiExchange::share_error(int rank, int self, const std::optional<Error>& failure) {
  const auto broadcast = [&](void* data, int count, MPI_Datatype type) {
    return mpi_status(
        wait_for([&](MPI_Request* r) { return PMPI_Ibcast(data, count, type, rank, comm_, r); }),
        "MPI_Bcast");
  };
  const bool mine = self == rank;
  std::array<int, 2> head{};
  if (mine) head = {static_cast<int>(failure->kind), static_cast<int>(failure->message.size())};
  if (auto sent = broadcast(head.data(), 2, MPI_INT); !sent) return sent;
  std::string text = mine ? failure->message : std::string(static_cast<std::size_t>(head[1]), '\0');
  if (auto sent = broadcast(text.data(), head[1], MPI_CHAR); !sent) return sent;
  return fail(static_cast<ErrorKind>(head[0]), std::move(text));
}

Status MpiExchange::agree(const std::optional<Error>& failure) {
  if (node_ != nullptr && nobody_failed(*node_, failure)) return {};
  if (caller_.may_block()) return tutti::agree(comm_, failure);
  constexpr int kNobody = std::numeric_limits<int>::max();
  int self = 0;
  caller_.make([&] { PMPI_Comm_rank(comm_, &self); });
  const int mine = failure ? self : kNobody;
  int first = kNobody;
  if (auto reduced = mpi_status(wait_for([&](MPI_Request* request) {
                                  return PMPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm_,
                                                         request);
                                }),
                                "MPI_Allreduce");
      !reduced)
    return reduced;
  return first == kNobody ? Status() : share_error(first, self, failure);
}

void MpiExchange::barrier() {
  if (node_ != nullptr) return node_->barrier();
  if (caller_.may_block())
    PMPI_Barrier(comm_);
  else
    wait_for([&](MPI_Request* request) { return PMPI_Ibarrier(comm_, request); });
}

}  // namespace tutti
