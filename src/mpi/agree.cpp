#include "mpi/agree.hpp"

#include <array>
#include <limits>

#include "mpi/call.hpp"

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
  const int mine = failure ? self : kNobody;
  int first = kNobody;
  if (auto reduced =
          mpi_status(PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
      !reduced)
    return reduced;
  if (first == kNobody) return {};
  return share_error(comm, first, failure);
}

}  // namespace tutti
