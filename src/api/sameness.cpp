#include "api/sameness.hpp"

#include <array>
#include <string>

#include "mpi/agree.hpp"
#include "mpi/call.hpp"

namespace tutti {

Result<bool> agree_on(MPI_Comm comm, std::initializer_list<Argument> arguments,
                      const std::optional<Error>& failure) {
  // The smallest value and the smallest complement fit together only where all values are equal.
  std::array<std::int64_t, 9> mine{};
  std::array<std::int64_t, 9> least{};
  std::size_t used = 0;
  mine[used++] = failure ? -1 : 0;
  for (const Argument& argument : arguments) {
    mine[used++] = argument.value;
    mine[used++] = ~argument.value;
  }
  if (auto reduced = mpi_status(PMPI_Allreduce(mine.data(), least.data(), static_cast<int>(used),
                                               MPI_INT64_T, MPI_MIN, comm),
                                "MPI_Allreduce");
      !reduced)
    return tl::make_unexpected(reduced.error());
  if (least[0] != 0) {
    const Status agreed = agree(comm, failure);
    return tl::make_unexpected(agreed ? Error{ErrorKind::internal, "ranks disagree"}
                                      : agreed.error());
  }
  bool unnamed_same = true;
  std::size_t at = 1;
  for (const Argument& argument : arguments) {
    const bool same = least[at] == ~least[at + 1];
    at += 2;
    if (!same && argument.what != nullptr)
      return fail(ErrorKind::not_same,
                  std::string(argument.what) + " is not the same on all processes");
    unnamed_same = unnamed_same && same;
  }
  return unnamed_same;
}

}  // namespace tutti
