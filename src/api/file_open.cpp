// MPI_File_open, MPI_File_close, MPI_File_delete.
#include <optional>
#include <string>
#include <utility>

#include "api/entry.hpp"
#include "api/info_hints.hpp"
#include "api/report.hpp"
#include "api/sameness.hpp"
#include "device/registry.hpp"
#include "exec/collective_state.hpp"
#include "exec/starting_hints.hpp"
#include "mpi/agree.hpp"
#include "mpi/call.hpp"

namespace tutti {

namespace {

struct OpenArguments {
  MPI_Comm comm;
  const char* name;
  int amode;
  MPI_Info info;
};

// The standard's rules for combining modes.
Status check_amode(int amode) {
  const auto has = [amode](int mode) { return (amode & mode) != 0; };
  const int ways = (has(MPI_MODE_RDONLY) ? 1 : 0) + (has(MPI_MODE_WRONLY) ? 1 : 0) +
                   (has(MPI_MODE_RDWR) ? 1 : 0);
  constexpr int kKnown = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR | MPI_MODE_CREATE |
                         MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN |
                         MPI_MODE_APPEND | MPI_MODE_SEQUENTIAL;
  if ((amode & ~kKnown) != 0)
    return fail(ErrorKind::invalid_amode, "the access mode has unknown bits");
  if (ways != 1)
    return fail(ErrorKind::invalid_amode,
                "the access mode needs exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY, "
                "MPI_MODE_RDWR");
  if (has(MPI_MODE_RDONLY) && (has(MPI_MODE_CREATE) || has(MPI_MODE_EXCL)))
    return fail(ErrorKind::invalid_amode,
                "MPI_MODE_RDONLY excludes MPI_MODE_CREATE and MPI_MODE_EXCL");
  if (has(MPI_MODE_RDWR) && has(MPI_MODE_SEQUENTIAL))
    return fail(ErrorKind::invalid_amode, "MPI_MODE_RDWR excludes MPI_MODE_SEQUENTIAL");
  return {};
}

OpenMode mode_of(int amode) {
  const auto has = [amode](int mode) { return (amode & mode) != 0; };
  return {.read = !has(MPI_MODE_WRONLY),
          .write = !has(MPI_MODE_RDONLY),
          .create = has(MPI_MODE_CREATE),
          .exclusive = has(MPI_MODE_EXCL),
          .delete_on_close = has(MPI_MODE_DELETE_ON_CLOSE)};
}

Status check_comm(MPI_Comm comm) {
  if (!mpi_is_running()) return fail(ErrorKind::invalid_comm, "MPI is not running");
  if (comm == MPI_COMM_NULL) return fail(ErrorKind::invalid_comm, "the communicator is null");
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter != 0) return fail(ErrorKind::invalid_comm, "an intercommunicator cannot open files");
  return {};
}

Result<Hints> hints_given(const OpenArguments& given) {
  int rank = 0;
  PMPI_Comm_rank(given.comm, &rank);
  return hints_with(starting_hints(rank == 0), given.info, rank == 0);
}

// Collective. What all ranks open: the same mode and hints, or the same error.
Result<Hints> agree_on_arguments(MPI_Comm comm, const OpenArguments& given,
                                 const Result<Hints>& hints) {
  std::optional<Error> failure;
  const std::string name = given.name == nullptr ? "(no name)" : given.name;
  if (given.name == nullptr) failure = Error{ErrorKind::invalid_argument, "the file name is null"};
  if (auto sound = check_amode(given.amode); !sound && !failure)
    failure = Error{sound.error().kind, name + ": " + sound.error().message};
  if (!hints && !failure) failure = hints.error();
  const auto same =
      agree_on(comm, {{"the access mode", given.amode}, {nullptr, failure ? 0 : hints_key(*hints)}},
               failure);
  if (!same) {
    Error error = same.error();
    if (error.kind == ErrorKind::not_same) error.message = name + ": " + error.message;
    return tl::make_unexpected(std::move(error));
  }
  return *same ? hints : hints_of_first(comm, *hints);
}

// Collective over the file's communicator. All pointers, where rank 0 sees the end.
Status start_at_end(File& file) {
  OpenFile& engine = *file.engine;
  std::optional<Error> failure;
  std::int64_t end = 0;
  if (engine.rank == 0) {
    const auto bytes = engine.device->size();
    if (bytes)
      end = *bytes;
    else
      failure = bytes.error();
  }
  if (auto agreed = agree(engine.comm.get(), failure); !agreed) return agreed;
  if (auto told = mpi_status(PMPI_Bcast(&end, 1, MPI_INT64_T, 0, engine.comm.get()), "MPI_Bcast");
      !told)
    return told;
  file.position = end;
  engine.shared_pointer.set(end);
  return {};
}

Result<MPI_File> open_collectively(const OpenArguments& given) {
  const auto mine = hints_given(given);
  auto links = take_links(given.comm, !mine || shares_memory(*mine));
  if (!links) return tl::make_unexpected(links.error());
  const auto hints = agree_on_arguments(links->comm.get(), given, mine);
  if (!hints) {
    give_back(std::move(*links));
    return tl::make_unexpected(hints.error());
  }
  if (auto prepared = forget_files_at_finalize(); !prepared)
    return tl::make_unexpected(prepared.error());
  auto engine = open_file(std::move(*links), given.name, mode_of(given.amode), *hints);
  if (!engine) return tl::make_unexpected(engine.error());
  auto file = std::make_unique<File>();
  file->name = given.name;
  file->engine = std::move(*engine);
  // Nonblocking calls must not wait for other ranks, so what they need of them is found out here.
  if (auto state = collective_state(*file->engine); !state)
    return tl::make_unexpected(state.error());
  file->amode = given.amode;
  file->handler = ErrorHandler::on_file_null();
  if ((given.amode & MPI_MODE_APPEND) != 0)
    if (auto placed = start_at_end(*file); !placed) return tl::make_unexpected(placed.error());
  return open_files().add(std::move(file));
}

}  // namespace

TUTTI_MPI(File_open,
          (MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* file)) {
  return without_file("MPI_File_open", [&]() -> Status {
    if (auto usable = check_comm(comm); !usable) return usable;
    if (file == nullptr) return fail(ErrorKind::invalid_argument, "no place for the file handle");
    *file = MPI_FILE_NULL;
    const auto opened = open_collectively({comm, filename, amode, info});
    if (!opened) return tl::make_unexpected(opened.error());
    *file = *opened;
    return {};
  });
}

TUTTI_MPI(File_close, (MPI_File * handle)) {
  constexpr const char* kCall = "MPI_File_close";
  if (handle == nullptr) return raise_wrong_handle(kCall);
  const std::unique_ptr<File> file = open_files().remove(*handle);
  if (!file) return raise_wrong_handle(kCall);
  const MPI_File closed = std::exchange(*handle, MPI_FILE_NULL);
  return guarded(kCall, closed, file.get(), [&]() -> Status {
    report_file(*file);
    const Status outcome = close_file(std::move(file->engine));
    if (outcome && file->split.end_name != nullptr)
      return fail(ErrorKind::invalid_argument,
                  std::string(file->split.end_name) + " was not called before closing");
    return outcome;
  });
}

TUTTI_MPI(File_delete, (const char* filename, MPI_Info)) {
  return without_file("MPI_File_delete", [&]() -> Status {
    if (filename == nullptr) return fail(ErrorKind::invalid_argument, "the file name is null");
    return remove_file(filename);
  });
}

}  // namespace tutti
