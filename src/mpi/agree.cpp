#include "mpi/agree.hpp"

#include <array>
#include <limits>

#include "mpi/call.hpp"
#include "mpi/meeting.hpp"

namespace tutti {

namespace {

// Collective. The error that `rank` holds, on every rank.
Status share_error(MPI_Comm comm, int rank, const std::optional<Error>& failure) {
  int self = 0;
  PMPI_Comm_rank(comm, &self);
  const bool mine = self == rank;
  std::array<int, 2> head{};
  if (mine) head = {static_cast<int>(failure->kind), static_cast<int>(failure->message.size())};
  if (auto sent = mpi_status(PMPI_Bcast(head.data(), 2, MPI_INT, rank, comm), "MPI_Bcast"); !sent)
    return sent;
  std::string text = mine ? failure->message : std::string(static_cast<std::size_t>(head[1]), '\0');
  if (auto sent = mpi_status(PMPI_Bcast(text.data(), head[1], MPI_CHAR, rank, comm), "MPI_Bcast");
      !sent)
    return sent;
  return fail(static_cast<ErrorKind>(head[0]), std::move(text));
}

}  // namespace

Status agree(MPI_Comm comm, const std::optional<Error>& failure) {
  constexpr int kNobody = std::numeric_limits<int>::max();
  int self = 0;
  PMPI_Comm_rank(comm, &self);
  std::int64_t first = failure ? self : kNobody;
  if (auto reduced = least_of_all(comm, {&first, 1}); !reduced) return reduced;
  if (first == kNobody) return {};
  return share_error(comm, static_cast<int>(first), failure);
}

Result<std::int64_t> told_by_first(MPI_Comm comm, const Result<std::int64_t>& found) {
  int self = 0;
  PMPI_Comm_rank(comm, &self);
  std::array<std::int64_t, 2> told{found.value_or(0), found ? 0 : 1};
  if (auto sent = tell_from_first(comm, std::as_writable_bytes(std::span(told))); !sent)
    return tl::make_unexpected(sent.error());
  if (told[1] == 0) return told[0];
  const auto failure = self == 0 ? std::optional(found.error()) : std::nullopt;
  return tl::make_unexpected(share_error(comm, 0, failure).error());
}

}  // namespace tutti
