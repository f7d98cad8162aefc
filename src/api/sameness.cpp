#include "api/sameness.hpp"

#include <array>
#include <string>

#include "mpi/agree.hpp"
#include "mpi/meeting.hpp"

namespace tutti {

Result<bool> agree_on(MPI_Comm comm, std::initializer_list<Argument> arguments,
                      const std::optional<Error>& failure) {
  // The smallest value and the smallest complement fit together only where all values are equal.
  std::array<std::int64_t, 9> least{};
  std::size_t used = 0;
  least[used++] = failure ? -1 : 0;
  for (const Argument& argument : arguments) {
    least[used++] = argument.value;
    least[used++] = ~argument.value;
  }
  if (auto reduced = least_of_all(comm, std::span(least).first(used)); !reduced)
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
