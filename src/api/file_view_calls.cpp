// MPI_File_set_view, MPI_File_get_view.
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/entry.hpp"
#include "api/info_hints.hpp"
#include "api/sameness.hpp"
#include "exec/nonblocking.hpp"
#include "exec/starting_hints.hpp"
#include "mpi/agree.hpp"
#include "mpi/call.hpp"
#include "view/representation.hpp"
#include "view/type_pattern.hpp"
#include "view/view_of.hpp"

namespace tutti {

namespace {

struct ViewArguments {
  MPI_Offset displacement;
  MPI_Datatype etype;
  MPI_Datatype filetype;
  const char* datarep;
  MPI_Info info;
};

struct NewView {
  FileView view;
  UserType etype;
  UserType filetype;
  std::string datarep;
  const Datarep* representation = nullptr;
  Hints hints;
  std::int64_t etype_extent = 0;
};

Result<std::string> name_of(const char* datarep) {
  if (datarep == nullptr)
    return fail(ErrorKind::invalid_argument, "the data representation is null");
  return std::string(datarep, strnlen(datarep, MPI_MAX_DATAREP_STRING));
}

Status check_displacement(const File& file, MPI_Offset given) {
  const bool sequential = (file.amode & MPI_MODE_SEQUENTIAL) != 0;
  if (sequential != (given == MPI_DISPLACEMENT_CURRENT))
    return fail(ErrorKind::invalid_argument,
                sequential ? "MPI_MODE_SEQUENTIAL needs MPI_DISPLACEMENT_CURRENT"
                           : "MPI_DISPLACEMENT_CURRENT needs MPI_MODE_SEQUENTIAL");
  return {};
}

// Collective. The absolute place of the shared pointer, after every rank has arrived.
Result<std::int64_t> current_displacement(File& file) {
  OpenFile& engine = *file.engine;
  Result<std::int64_t> place = 0;
  if (auto arrived = agree(engine.comm.get(), {}); !arrived)
    return tl::make_unexpected(arrived.error());
  if (engine.rank == 0) {
    const Pattern& stream = file.view.stream;
    place = engine.shared_pointer.position();
    if (place) place = stream.empty() ? file.view.displacement : stream.offset_of(*place);
  }
  return told_by_first(engine.comm.get(), place);
}

// A datatype as it lies in the file.
Result<TypePattern> type_in_file(const Datarep* representation, MPI_Datatype type,
                                 const std::string& role) {
  Result<TypePattern> found = TypePattern();
  if (representation != nullptr)
    found = file_pattern_of(representation->form, type);
  else
    found = pattern_of(type).map([](const auto& pattern) { return *pattern; });
  if (!found) return fail(found.error().kind, role + ": " + found.error().message);
  return found;
}

Result<NewView> prepare_view(const File& file, const ViewArguments& given,
                             std::int64_t displacement) {
  const MPI_Comm comm = file.engine->comm.get();
  const auto datarep = name_of(given.datarep);
  if (!datarep) return tl::make_unexpected(datarep.error());
  const auto representation = datareps().find(*datarep);
  if (!representation) return tl::make_unexpected(representation.error());
  if (auto sound = check_displacement(file, given.displacement); !sound)
    return tl::make_unexpected(sound.error());
  for (const MPI_Datatype type : {given.etype, given.filetype})
    if (auto usable = check_committed(type, comm); !usable)
      return tl::make_unexpected(usable.error());
  const auto element = type_in_file(*representation, given.etype, "etype");
  if (!element) return tl::make_unexpected(element.error());
  const auto tile = type_in_file(*representation, given.filetype, "filetype");
  if (!tile) return tl::make_unexpected(tile.error());
  auto view = view_of(displacement, *element, *tile);
  if (!view) return tl::make_unexpected(view.error());
  if (file.engine->mode.write && !view->tile.is_monotone())
    return fail(ErrorKind::invalid_type,
                "the filetype overlaps itself, which only read-only files allow");
  auto etype = UserType::keep(given.etype);
  if (!etype) return tl::make_unexpected(etype.error());
  auto filetype = UserType::keep(given.filetype);
  if (!filetype) return tl::make_unexpected(filetype.error());
  auto hints = hints_with(file.engine->hints, given.info, file.engine->rank == 0);
  if (!hints) return tl::make_unexpected(hints.error());
  return NewView{std::move(*view), std::move(*etype), std::move(*filetype), *datarep,
                 *representation,  std::move(*hints), element->extent};
}

// Collective.
Status set_view(File& file, const ViewArguments& given) {
  OpenFile& engine = *file.engine;
  engine.nonblocking->finish_together();
  Result<std::int64_t> displacement = given.displacement;
  if ((file.amode & MPI_MODE_SEQUENTIAL) != 0) displacement = current_displacement(file);
  if (!displacement) return tl::make_unexpected(displacement.error());
  auto made = prepare_view(file, given, *displacement);
  engine.shared_pointer.prepare();
  std::optional<Error> failure;
  if (!made) failure = made.error();
  const auto same =
      agree_on(engine.comm.get(),
               {{"the etype's extent", made ? made->etype_extent : 0},
                {"the data representation",
                 made ? static_cast<std::int64_t>(std::hash<std::string>{}(made->datarep)) : 0},
                {nullptr, made ? hints_key(made->hints) : 0}},
               failure);
  if (!same) return tl::make_unexpected(same.error());
  if (!*same) {
    auto first = hints_of_first(engine.comm.get(), made->hints);
    if (!first) return tl::make_unexpected(first.error());
    made->hints = std::move(*first);
  }
  file.view = std::move(made->view);
  file.etype = std::move(made->etype);
  file.filetype = std::move(made->filetype);
  file.datarep = std::move(made->datarep);
  file.representation = made->representation;
  file.position = 0;
  engine.shared_pointer.set(0);
  return change_hints(engine, made->hints);
}

}  // namespace

TUTTI_MPI(File_set_view, (MPI_File handle, MPI_Offset displacement, MPI_Datatype etype,
                          MPI_Datatype filetype, const char* datarep, MPI_Info info)) {
  return with_file("MPI_File_set_view", handle, [&](File& file) {
    return set_view(file, {displacement, etype, filetype, datarep, info});
  });
}

TUTTI_MPI(File_get_view, (MPI_File handle, MPI_Offset* displacement, MPI_Datatype* etype,
                          MPI_Datatype* filetype, char* datarep)) {
  return with_file("MPI_File_get_view", handle, [&](File& file) -> Status {
    if (displacement == nullptr || etype == nullptr || filetype == nullptr || datarep == nullptr)
      return fail(ErrorKind::invalid_argument, "no place for a result");
    const auto element = file.etype.hand_out();
    if (!element) return tl::make_unexpected(element.error());
    const auto tile = file.filetype.hand_out();
    if (!tile) return tl::make_unexpected(tile.error());
    *displacement = file.view.displacement;
    *etype = *element;
    *filetype = *tile;
    std::memcpy(datarep, file.datarep.c_str(), file.datarep.size() + 1);
    return {};
  });
}

}  // namespace tutti
