// MPI_File_set_info, MPI_File_get_info.
#include <optional>

#include "api/entry.hpp"
#include "api/info_hints.hpp"
#include "api/sameness.hpp"
#include "base/counters.hpp"
#include "exec/nonblocking.hpp"
#include "exec/starting_hints.hpp"

namespace tutti {

TUTTI_MPI(File_set_info, (MPI_File handle, MPI_Info info)) {
  return with_file("MPI_File_set_info", handle, [&](File& file) -> Status {
    OpenFile& engine = *file.engine;
    engine.nonblocking->finish_together();
    std::optional<Error> failure;
    Result<Hints> hints = hints_with(engine.hints, info, engine.rank == 0);
    if (!hints) failure = hints.error();
    const auto same =
        agree_on(engine.comm.get(), {{nullptr, failure ? 0 : hints_key(*hints)}}, failure);
    if (!same) return tl::make_unexpected(same.error());
    if (!*same) hints = hints_of_first(engine.comm.get(), *hints);
    if (!hints) return tl::make_unexpected(hints.error());
    return change_hints(engine, *hints);
  });
}

TUTTI_MPI(File_get_info, (MPI_File handle, MPI_Info* info)) {
  return with_file("MPI_File_get_info", handle, [&](File& file) -> Status {
    if (info == nullptr) return fail(ErrorKind::invalid_argument, "no place for the result");
    auto used = info_of(*file.engine);
    if (!used) return tl::make_unexpected(used.error());
    for (const auto& [key, value] : list_counters(file.engine->counters))
      PMPI_Info_set(used->get(), key.c_str(), value.c_str());
    *info = used->release();
    return {};
  });
}

}  // namespace tutti
