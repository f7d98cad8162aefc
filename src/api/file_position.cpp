// Individual pointers and offsets: seek, get_position, get_byte_offset.
#include <string>

#include "api/entry.hpp"
#include "api/stream_offset.hpp"

namespace tutti {

namespace {

tl::unexpected<Error> no_place() {
  return fail(ErrorKind::invalid_argument, "no place for the result");
}

Status no_shared_pointers_only(const File& file) {
  if ((file.amode & MPI_MODE_SEQUENTIAL) == 0) return {};
  return fail(ErrorKind::unsupported_operation,
              "opened with MPI_MODE_SEQUENTIAL, which has no individual pointer");
}

// The etypes that `whence` stands for.
Result<std::int64_t> seek_base(const File& file, int whence) {
  switch (whence) {
    case MPI_SEEK_SET:
      return 0;
    case MPI_SEEK_CUR:
      return file.position / file.view.etype_bytes;
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

TUTTI_MPI(File_seek, (MPI_File handle, MPI_Offset offset, int whence)) {
  return with_file("MPI_File_seek", handle, [&](File& file) -> Status {
    if (auto allowed = no_shared_pointers_only(file); !allowed) return allowed;
    const auto base = seek_base(file, whence);
    if (!base) return tl::make_unexpected(base.error());
    std::int64_t etypes = 0;
    if (__builtin_add_overflow(*base, offset, &etypes) || etypes < 0)
      return fail(ErrorKind::invalid_argument, "the offset " + std::to_string(offset) +
                                                   " leads before the beginning of the view");
    const auto place = stream_byte(file.view, etypes);
    if (!place) return tl::make_unexpected(place.error());
    file.position = *place;
    return {};
  });
}

TUTTI_MPI(File_get_position, (MPI_File handle, MPI_Offset* offset)) {
  return with_file("MPI_File_get_position", handle, [&](File& file) -> Status {
    if (auto allowed = no_shared_pointers_only(file); !allowed) return allowed;
    if (offset == nullptr) return no_place();
    *offset = file.position / file.view.etype_bytes;
    return {};
  });
}

TUTTI_MPI(File_get_byte_offset, (MPI_File handle, MPI_Offset offset, MPI_Offset* displacement)) {
  return with_file("MPI_File_get_byte_offset", handle, [&](File& file) -> Status {
    if (auto allowed = no_shared_pointers_only(file); !allowed) return allowed;
    if (displacement == nullptr) return no_place();
    const auto place = stream_byte(file.view, offset);
    if (!place) return tl::make_unexpected(place.error());
    const Pattern& stream = file.view.stream;
    *displacement = stream.empty() ? file.view.displacement : stream.offset_of(*place);
    return {};
  });
}

}  // namespace tutti
