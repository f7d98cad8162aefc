#include "api/info_hints.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "mpi/call.hpp"

namespace tutti {

namespace {

void say(const std::string& line) { std::fprintf(stderr, "tutti: %s\n", line.c_str()); }

std::string hints_text(const Hints& hints) {
  std::string text;
  for (const auto& [key, value] : list_hints(hints)) text += key + '\0' + value + '\0';
  return text;
}

Hints hints_from_text(const std::string& text) {
  Hints hints;
  for (std::size_t at = 0; at < text.size();) {
    const std::string key(text.c_str() + at);
    at += key.size() + 1;
    const std::string value(text.c_str() + at);
    at += value.size() + 1;
    set_hint(hints, key, value);
  }
  return hints;
}

}  // namespace

Result<Hints> hints_with(const Hints& base, MPI_Info info, bool complain) {
  Hints hints = base;
  if (info == MPI_INFO_NULL) return hints;
  int keys = 0;
  if (auto counted = mpi_status(PMPI_Info_get_nkeys(info, &keys), "MPI_Info_get_nkeys"); !counted)
    return fail(ErrorKind::invalid_info, counted.error().message);
  std::vector<char> value;
  for (int i = 0; i < keys; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    int length = 0;
    int found = 0;
    PMPI_Info_get_nthkey(info, i, key.data());
    PMPI_Info_get_valuelen(info, key.data(), &length, &found);
    if (found == 0) continue;
    value.assign(static_cast<std::size_t>(length) + 1, '\0');
    PMPI_Info_get(info, key.data(), length, value.data(), &found);
    if (found == 0) continue;
    if (set_hint(hints, key.data(), value.data()) == HintOutcome::bad_value && complain)
      say(bad_hint_message(hints, key.data(), value.data()));
  }
  return hints;
}

Hints environment_hints(bool complain) {
  Hints hints;
  const auto complaints =
      apply_environment(hints, [](const std::string& name) -> std::optional<std::string> {
        const char* const value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
      });
  if (complain)
    for (const std::string& complaint : complaints) say(complaint);
  return hints;
}

std::int64_t hints_key(const Hints& hints) {
  return static_cast<std::int64_t>(std::hash<std::string>{}(hints_text(hints)));
}

Result<Hints> hints_of_first(MPI_Comm comm, const Hints& mine) {
  std::string text = hints_text(mine);
  int length = static_cast<int>(text.size());
  if (auto sent = mpi_status(PMPI_Bcast(&length, 1, MPI_INT, 0, comm), "MPI_Bcast"); !sent)
    return tl::make_unexpected(sent.error());
  text.resize(static_cast<std::size_t>(length));
  if (auto sent = mpi_status(PMPI_Bcast(text.data(), length, MPI_CHAR, 0, comm), "MPI_Bcast");
      !sent)
    return tl::make_unexpected(sent.error());
  return hints_from_text(text);
}

Result<OwnedInfo> info_of(const Hints& hints) {
  OwnedInfo info;
  if (auto made = mpi_status(PMPI_Info_create(info.fill()), "MPI_Info_create"); !made)
    return tl::make_unexpected(made.error());
  for (const auto& [key, value] : list_hints(hints))
    if (!value.empty()) PMPI_Info_set(info.get(), key.c_str(), value.c_str());
  // HDF5 asks for this one: written bytes are seen by other processes at once.
  PMPI_Info_set(info.get(), "romio_visibility_immediate", "true");
  PMPI_Info_set(info.get(), "tutti_version", TUTTI_VERSION);
  return info;
}

}  // namespace tutti
