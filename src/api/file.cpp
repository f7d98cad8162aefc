#include "api/file.hpp"

namespace tutti {

Status check_direction(const File& file, Direction direction) {
  const OpenMode& mode = file.engine->mode;
  if (direction == Direction::read && !mode.read)
    return fail(ErrorKind::access_denied, "opened for writing only, cannot be read");
  if (direction == Direction::write && !mode.write)
    return fail(ErrorKind::read_only, "opened for reading only, cannot be written");
  if ((file.amode & MPI_MODE_SEQUENTIAL) != 0)
    return fail(ErrorKind::unsupported_operation,
                "opened with MPI_MODE_SEQUENTIAL, which allows shared pointers only");
  return {};
}

}  // namespace tutti
