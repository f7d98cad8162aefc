// The shared file pointer: reads and writes by it, in order of ranks or as they come; seek_shared,
// get_position_shared.
#include <optional>
#include <string>

#include "api/data_functions.hpp"
#include "api/entry.hpp"
#include "api/sameness.hpp"
#include "api/seek.hpp"
#include "exec/nonblocking.hpp"
#include "mpi/agree.hpp"

namespace tutti {

namespace {

// Collective. Rank 0 finds the place, after every rank has arrived.
Result<std::int64_t> place_of_first(File& file, MPI_Offset offset, int whence) {
  OpenFile& engine = *file.engine;
  Result<std::int64_t> found = 0;
  if (engine.rank == 0) {
    found = engine.shared_pointer.position();
    if (found) found = seek_place(file, *found, offset, whence);
  }
  return told_by_first(engine.comm.get(), found);
}

// Collective.
Status seek_shared(File& file, MPI_Offset offset, int whence) {
  OpenFile& engine = *file.engine;
  engine.nonblocking->finish_together();
  std::optional<Error> failure;
  if (auto allowed = check_not_sequential(file); !allowed) failure = allowed.error();
  engine.shared_pointer.prepare();
  if (auto same =
          agree_on(engine.comm.get(), {{"the offset", offset}, {"whence", whence}}, failure);
      !same)
    return tl::make_unexpected(same.error());
  // From the beginning every rank finds the same place alone.
  const auto place = whence == MPI_SEEK_SET ? seek_place(file, 0, offset, whence)
                                            : place_of_first(file, offset, whence);
  if (!place) return tl::make_unexpected(place.error());
  engine.shared_pointer.set(*place);
  return {};
}

}  // namespace

// Without order every rank is alone; in order of ranks they are together.
TUTTI_BY(kShared, File_read_shared, void*, int, read, kAlone)
TUTTI_BY(kShared, File_write_shared, const void*, int, write, kAlone)
TUTTI_START_BY(kShared, File_iread_shared, void*, int, read, kAlone)
TUTTI_START_BY(kShared, File_iwrite_shared, const void*, int, write, kAlone)
TUTTI_BY(kShared, File_read_ordered, void*, int, read, kTogether)
TUTTI_BY(kShared, File_write_ordered, const void*, int, write, kTogether)
TUTTI_BEGIN_BY(kShared, File_read_ordered_begin, void*, int, read, File_read_ordered_end)
TUTTI_BEGIN_BY(kShared, File_write_ordered_begin, const void*, int, write, File_write_ordered_end)
TUTTI_END(File_read_ordered_end, void*)
TUTTI_END(File_write_ordered_end, const void*)

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_BY(kShared, File_read_shared_c, void*, MPI_Count, read, kAlone)
TUTTI_BY(kShared, File_write_shared_c, const void*, MPI_Count, write, kAlone)
TUTTI_START_BY(kShared, File_iread_shared_c, void*, MPI_Count, read, kAlone)
TUTTI_START_BY(kShared, File_iwrite_shared_c, const void*, MPI_Count, write, kAlone)
TUTTI_BY(kShared, File_read_ordered_c, void*, MPI_Count, read, kTogether)
TUTTI_BY(kShared, File_write_ordered_c, const void*, MPI_Count, write, kTogether)
TUTTI_BEGIN_BY(kShared, File_read_ordered_begin_c, void*, MPI_Count, read, File_read_ordered_end)
TUTTI_BEGIN_BY(kShared, File_write_ordered_begin_c, const void*, MPI_Count, write,
               File_write_ordered_end)
#endif

TUTTI_MPI(File_seek_shared, (MPI_File handle, MPI_Offset offset, int whence)) {
  return with_file("MPI_File_seek_shared", handle,
                   [&](File& file) { return seek_shared(file, offset, whence); });
}

TUTTI_MPI(File_get_position_shared, (MPI_File handle, MPI_Offset* offset)) {
  return with_file("MPI_File_get_position_shared", handle, [&](File& file) -> Status {
    if (auto allowed = check_not_sequential(file); !allowed) return allowed;
    if (offset == nullptr) return fail(ErrorKind::invalid_argument, "no place for the result");
    const auto place = file.engine->shared_pointer.position();
    if (!place) return tl::make_unexpected(place.error());
    *offset = *place / file.view.etype_bytes;
    return {};
  });
}

}  // namespace tutti
