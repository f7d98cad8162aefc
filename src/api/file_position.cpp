// Individual pointers and offsets: seek, get_position, get_byte_offset.
#include "api/entry.hpp"
#include "api/seek.hpp"
#include "api/stream_offset.hpp"

namespace tutti {

namespace {

tl::unexpected<Error> no_place() {
  return fail(ErrorKind::invalid_argument, "no place for the result");
}

}  // namespace

TUTTI_MPI(File_seek, (MPI_File handle, MPI_Offset offset, int whence)) {
  return with_file("MPI_File_seek", handle, [&](File& file) -> Status {
    if (auto allowed = check_not_sequential(file); !allowed) return allowed;
    const auto place = seek_place(file, file.position, offset, whence);
    if (!place) return tl::make_unexpected(place.error());
    file.position = *place;
    return {};
  });
}

TUTTI_MPI(File_get_position, (MPI_File handle, MPI_Offset* offset)) {
  return with_file("MPI_File_get_position", handle, [&](File& file) -> Status {
    if (auto allowed = check_not_sequential(file); !allowed) return allowed;
    if (offset == nullptr) return no_place();
    *offset = file.position / file.view.etype_bytes;
    return {};
  });
}

TUTTI_MPI(File_get_byte_offset, (MPI_File handle, MPI_Offset offset, MPI_Offset* displacement)) {
  return with_file("MPI_File_get_byte_offset", handle, [&](File& file) -> Status {
    if (auto allowed = check_not_sequential(file); !allowed) return allowed;
    if (displacement == nullptr) return no_place();
    const auto place = stream_byte(file.view, offset);
    if (!place) return tl::make_unexpected(place.error());
    const Pattern& stream = file.view.stream;
    *displacement = stream.empty() ? file.view.displacement : stream.offset_of(*place);
    return {};
  });
}

}  // namespace tutti
