#include "api/file.hpp"

namespace tutti {

Status check_direction(const File& file, Direction direction) {
  const OpenMode& mode = file.engine->mode;
  if (direction == Direction::read && !mode.read)
    return fail(ErrorKind::access_denied, "opened for writing only, cannot be read");
  if (direction == Direction::write && !mode.write)
    return fail(ErrorKind::read_only, "opened for reading only, cannot be written");
  return {};
}

Status check_not_sequential(const File& file) {
  if ((file.amode & MPI_MODE_SEQUENTIAL) == 0) return {};
  return fail(
      ErrorKind::unsupported_operation,
      "opened with MPI_MODE_SEQUENTIAL, which allows data access by the shared pointer only");
}

}  // namespace tutti
