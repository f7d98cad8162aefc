#include "mpi/call.hpp"

#include <array>
#include <string>

namespace tutti {

Status mpi_status(int code, std::string_view call) {
  if (code == MPI_SUCCESS) return {};
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  if (PMPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  return fail(ErrorKind::internal, std::string(call) + " failed: " +
                                       std::string(text.data(), static_cast<std::size_t>(length)));
}

Status communicator_status(int code, std::string_view call) {
  const Status made = mpi_status(code, call);
  if (made) return made;
  return fail(ErrorKind::no_memory, "the host MPI gives no communicator: " + made.error().message);
}

bool mpi_is_running() {
  int started = 0;
  int finished = 0;
  PMPI_Initialized(&started);
  PMPI_Finalized(&finished);
  return started != 0 && finished == 0;
}

}  // namespace tutti
