// Sizes and facts of an open file: set_size, preallocate, get_size, get_group, get_amode, sync,
// atomicity, get_type_extent.
#include <limits>
#include <optional>
#include <string>

#include "api/entry.hpp"
#include "api/sameness.hpp"
#include "exec/collective.hpp"
#include "exec/nonblocking.hpp"
#include "mpi/agree.hpp"
#include "mpi/call.hpp"
#include "transfer/independent.hpp"
#include "view/representation.hpp"
#include "view/type_pattern.hpp"

namespace tutti {

namespace {

Status no_place() { return fail(ErrorKind::invalid_argument, "no place for the result"); }

// Collective. All ranks have arrived and agree on `bytes` before rank 0 acts, so that earlier
// writes of every rank are in the file.
template <class Act>
Status change_size(File& file, MPI_Offset bytes, Act&& act) {
  OpenFile& engine = *file.engine;
  engine.nonblocking->finish_together();
  std::optional<Error> failure = publish_own(engine, std::nullopt);
  if (bytes < 0)
    failure =
        Error{ErrorKind::invalid_argument, "the size is negative (" + std::to_string(bytes) + ")"};
  else if (!engine.mode.write)
    failure = Error{ErrorKind::read_only, "opened for reading only, keeps its size"};
  if (auto same = agree_on(engine.comm.get(), {{"the size", bytes}}, failure); !same)
    return tl::make_unexpected(same.error());
  if (engine.rank == 0)
    if (Status done = act(engine.device); !done) failure = done.error();
  const Status agreed = agree(engine.comm.get(), failure);
  engine.device->distrust();
  return agreed;
}

// Local. Whether ranges of the file can be locked: some file systems refuse.
std::optional<Error> try_lock(OpenFile& engine) {
  constexpr Extent kBeyondEveryFile{std::numeric_limits<std::int64_t>::max() - 1, 1};
  const auto held = lock_for_atomic(engine.device, kBeyondEveryFile,
                                    engine.mode.write ? Direction::write : Direction::read);
  if (held) return std::nullopt;
  return Error{ErrorKind::unsupported_operation, "no atomic mode here: " + held.error().message};
}

// Collective.
Status set_atomicity(OpenFile& engine, bool atomic) {
  engine.nonblocking->finish_together();
  std::optional<Error> failure;
  if (atomic && !engine.atomic) failure = try_lock(engine);
  if (auto same = agree_on(engine.comm.get(), {{"the flag", atomic ? 1 : 0}}, failure); !same)
    return tl::make_unexpected(same.error());
  if (Status set = engine.device->set_coherent(atomic); !set) failure = set.error();
  if (auto agreed = agree(engine.comm.get(), failure); !agreed) {
    (void)engine.device->set_coherent(engine.atomic);  // as before, on all ranks
    return agreed;
  }
  engine.atomic = atomic;
  return {};
}

template <class Integer>
Status type_extent(const File& file, MPI_Datatype type, Integer* extent) {
  if (extent == nullptr) return no_place();
  if (file.representation != nullptr) {
    const auto scaled = file_pattern_of(file.representation->form, type);
    if (!scaled) return tl::make_unexpected(scaled.error());
    *extent = scaled->extent;
    return {};
  }
  const auto decoded = pattern_of(type);
  if (!decoded) return tl::make_unexpected(decoded.error());
  *extent = (*decoded)->extent;
  return {};
}

}  // namespace

TUTTI_MPI(File_set_size, (MPI_File handle, MPI_Offset size)) {
  return with_file("MPI_File_set_size", handle, [&](File& file) {
    return change_size(file, size, [&](Device& device) { return device->resize(size); });
  });
}

TUTTI_MPI(File_preallocate, (MPI_File handle, MPI_Offset size)) {
  return with_file("MPI_File_preallocate", handle, [&](File& file) {
    return change_size(file, size, [&](Device& device) { return device->preallocate(size); });
  });
}

TUTTI_MPI(File_get_size, (MPI_File handle, MPI_Offset* size)) {
  return with_file("MPI_File_get_size", handle, [&](File& file) -> Status {
    if (size == nullptr) return no_place();
    const auto bytes = file.engine->device->size();
    if (!bytes) return tl::make_unexpected(bytes.error());
    *size = *bytes;
    return {};
  });
}

TUTTI_MPI(File_get_group, (MPI_File handle, MPI_Group* group)) {
  return with_file("MPI_File_get_group", handle, [&](File& file) -> Status {
    if (group == nullptr) return no_place();
    return mpi_status(PMPI_Comm_group(file.engine->comm.get(), group), "MPI_Comm_group");
  });
}

TUTTI_MPI(File_get_amode, (MPI_File handle, int* amode)) {
  return with_file("MPI_File_get_amode", handle, [&](File& file) -> Status {
    if (amode == nullptr) return no_place();
    *amode = file.amode;
    return {};
  });
}

TUTTI_MPI(File_sync, (MPI_File handle)) {
  return with_file("MPI_File_sync", handle, [&](File& file) -> Status {
    file.engine->nonblocking->finish_together();
    std::optional<Error> failure;
    if (Status done = file.engine->device->sync(); !done) failure = done.error();
    return agree(file.engine->comm.get(), failure);
  });
}

TUTTI_MPI(File_set_atomicity, (MPI_File handle, int flag)) {
  return with_file("MPI_File_set_atomicity", handle,
                   [&](File& file) { return set_atomicity(*file.engine, flag != 0); });
}

TUTTI_MPI(File_get_atomicity, (MPI_File handle, int* flag)) {
  return with_file("MPI_File_get_atomicity", handle, [&](File& file) -> Status {
    if (flag == nullptr) return no_place();
    *flag = file.engine->atomic ? 1 : 0;
    return {};
  });
}

TUTTI_MPI(File_get_type_extent, (MPI_File handle, MPI_Datatype type, MPI_Aint* extent)) {
  return with_file("MPI_File_get_type_extent", handle,
                   [&](File& file) { return type_extent(file, type, extent); });
}

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_MPI(File_get_type_extent_c, (MPI_File handle, MPI_Datatype type, MPI_Count* extent)) {
  return with_file("MPI_File_get_type_extent_c", handle,
                   [&](File& file) { return type_extent(file, type, extent); });
}
#endif

}  // namespace tutti
