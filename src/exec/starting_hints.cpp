#include "exec/starting_hints.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>

#include "mpi/call.hpp"

namespace tutti {

namespace {

std::optional<std::string> variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void apply_named_file(Hints& hints) {
  for (const char* const name : {"TUTTI_HINTS", "ROMIO_HINTS"}) {
    const auto path = variable(name);
    if (!path || path->empty()) continue;
    std::ifstream file(*path);
    if (!file) return complain(std::string(name) + ": " + *path + " cannot be read");
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (const std::string& line : apply_hint_file(hints, text, *path)) complain(line);
    return;
  }
}

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

void complain(const std::string& line) { std::fprintf(stderr, "tutti: %s\n", line.c_str()); }

Hints starting_hints(bool first_rank) {
  Hints hints;
  if (first_rank) apply_named_file(hints);
  const auto complaints = apply_environment(hints, variable);
  if (first_rank)
    for (const std::string& line : complaints) complain(line);
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

}  // namespace tutti
