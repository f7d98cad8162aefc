#include "api/seek.hpp"

#include <string>

#include "api/stream_offset.hpp"

namespace tutti {

namespace {

// The etypes that `whence` stands for.
Result<std::int64_t> seek_base(const File& file, std::int64_t current, int whence) {
  switch (whence) {
    case MPI_SEEK_SET:
      return 0;
    case MPI_SEEK_CUR:
      return current / file.view.etype_bytes;
    case MPI_SEEK_END: {
      const auto bytes = file.engine->device->size();
      if (!bytes) return bytes;
      return etypes_before(file.view, *bytes);
    }
    default:
      return fail(ErrorKind::invalid_argument,
                  "whence is not MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END");
  }
}

}  // namespace

Result<std::int64_t> seek_place(const File& file, std::int64_t current, MPI_Offset offset,
                                int whence) {
  const auto base = seek_base(file, current, whence);
  if (!base) return tl::make_unexpected(base.error());
  std::int64_t etypes = 0;
  if (__builtin_add_overflow(*base, offset, &etypes) || etypes < 0)
    return fail(ErrorKind::invalid_argument,
                "the offset " + std::to_string(offset) + " leads before the beginning of the view");
  return stream_byte(file.view, etypes);
}

}  // namespace tutti
