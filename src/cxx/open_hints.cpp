#include "cxx/open_hints.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "mpi/call.hpp"

namespace tutti::io {

Result<Hints> hints_from(std::span<const Hint> given, bool complain) {
  Hints hints;
  const auto complaints =
      apply_environment(hints, [](const std::string& name) -> std::optional<std::string> {
        const char* const value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
      });
  if (complain)
    for (const std::string& line : complaints) std::fprintf(stderr, "tutti: %s\n", line.c_str());
  for (const Hint& hint : given) {
    switch (set_hint(hints, hint.key, hint.value)) {
      case HintOutcome::applied:
        break;
      case HintOutcome::unknown_key:
        return fail(tutti::ErrorKind::invalid_info, "there is no hint " + std::string(hint.key));
      case HintOutcome::bad_value:
        return fail(tutti::ErrorKind::invalid_info, bad_hint_message(hints, hint.key, hint.value));
    }
  }
  return hints;
}

Result<Hints> share_hints(MPI_Comm comm, const Hints& mine) {
  std::string text;
  for (const auto& [key, value] : list_hints(mine)) text += key + '\0' + value + '\0';
  int length = static_cast<int>(text.size());
  if (auto sent = mpi_status(PMPI_Bcast(&length, 1, MPI_INT, 0, comm), "MPI_Bcast"); !sent)
    return tl::make_unexpected(sent.error());
  text.resize(static_cast<std::size_t>(length));
  if (auto sent = mpi_status(PMPI_Bcast(text.data(), length, MPI_CHAR, 0, comm), "MPI_Bcast");
      !sent)
    return tl::make_unexpected(sent.error());
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

}  // namespace tutti::io
