// The shared file pointer: reads and writes by it, in order of ranks or as they come; seek_shared,
// get_position_shared.
#include <optional>
#include <string>

#include "api/data_call.hpp"
#include "api/entry.hpp"
#include "api/sameness.hpp"
#include "api/seek.hpp"
#include "exec/nonblocking.hpp"
#include "mpi/agree.hpp"
#include "mpi/call.hpp"

namespace tutti {

namespace {

void* writable(const void* buffer) { return const_cast<void*>(buffer); }

constexpr bool kAsTheyCome = false;
constexpr bool kInOrder = true;

// Collective. Rank 0 finds the place, after every rank has arrived.
Result<std::int64_t> place_of_first(File& file, MPI_Offset offset, int whence) {
  OpenFile& engine = *file.engine;
  std::optional<Error> failure;
  std::int64_t place = 0;
  if (engine.rank == 0) {
    const auto current = engine.shared_pointer.position();
    const auto found = current ? seek_place(file, *current, offset, whence) : current;
    if (found)
      place = *found;
    else
      failure = found.error();
  }
  if (auto agreed = agree(engine.comm.get(), failure); !agreed)
    return tl::make_unexpected(agreed.error());
  if (auto told = mpi_status(PMPI_Bcast(&place, 1, MPI_INT64_T, 0, engine.comm.get()), "MPI_Bcast");
      !told)
    return tl::make_unexpected(told.error());
  return place;
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

#define TUTTI_SHARED(name, Buffer, Count, direction, sharing)                                      \
  TUTTI_MPI(name,                                                                                  \
            (MPI_File file, Buffer buffer, Count count, MPI_Datatype type, MPI_Status * status)) { \
    return move_data({"MPI_" #name, Direction::direction, sharing}, file,                          \
                     {kShared, writable(buffer), count, type}, status);                            \
  }

#define TUTTI_START_SHARED(name, Buffer, Count, direction)                       \
  TUTTI_MPI(name, (MPI_File file, Buffer buffer, Count count, MPI_Datatype type, \
                   MPI_Request * request)) {                                     \
    return start_data({"MPI_" #name, Direction::direction, kAsTheyCome}, file,   \
                      {kShared, writable(buffer), count, type}, request);        \
  }

#define TUTTI_ORDERED_BEGIN(name, Buffer, Count, direction, end)                          \
  TUTTI_MPI(name, (MPI_File file, Buffer buffer, Count count, MPI_Datatype type)) {       \
    return begin_split({"MPI_" #name, Direction::direction, kInOrder, "MPI_" #end}, file, \
                       {kShared, writable(buffer), count, type});                         \
  }

#define TUTTI_ORDERED_END(name, Buffer)                           \
  TUTTI_MPI(name, (MPI_File file, Buffer, MPI_Status * status)) { \
    return end_split("MPI_" #name, file, status);                 \
  }

TUTTI_SHARED(File_read_shared, void*, int, read, kAsTheyCome)
TUTTI_SHARED(File_write_shared, const void*, int, write, kAsTheyCome)
TUTTI_START_SHARED(File_iread_shared, void*, int, read)
TUTTI_START_SHARED(File_iwrite_shared, const void*, int, write)
TUTTI_SHARED(File_read_ordered, void*, int, read, kInOrder)
TUTTI_SHARED(File_write_ordered, const void*, int, write, kInOrder)
TUTTI_ORDERED_BEGIN(File_read_ordered_begin, void*, int, read, File_read_ordered_end)
TUTTI_ORDERED_BEGIN(File_write_ordered_begin, const void*, int, write, File_write_ordered_end)
TUTTI_ORDERED_END(File_read_ordered_end, void*)
TUTTI_ORDERED_END(File_write_ordered_end, const void*)

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_SHARED(File_read_shared_c, void*, MPI_Count, read, kAsTheyCome)
TUTTI_SHARED(File_write_shared_c, const void*, MPI_Count, write, kAsTheyCome)
TUTTI_START_SHARED(File_iread_shared_c, void*, MPI_Count, read)
TUTTI_START_SHARED(File_iwrite_shared_c, const void*, MPI_Count, write)
TUTTI_SHARED(File_read_ordered_c, void*, MPI_Count, read, kInOrder)
TUTTI_SHARED(File_write_ordered_c, const void*, MPI_Count, write, kInOrder)
TUTTI_ORDERED_BEGIN(File_read_ordered_begin_c, void*, MPI_Count, read, File_read_ordered_end)
TUTTI_ORDERED_BEGIN(File_write_ordered_begin_c, const void*, MPI_Count, write,
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
