#include "tutti/file.hpp"

#include <optional>

#include "cxx/file_state.hpp"
#include "cxx/open_hints.hpp"
#include "cxx/values.hpp"
#include "exec/starting_hints.hpp"
#include "mpi/agree.hpp"
#include "mpi/call.hpp"

namespace tutti::io {

namespace {

// Local. What keeps a communicator from being used at all.
std::optional<tutti::Error> comm_problem(MPI_Comm comm) {
  const auto problem = [](const char* what) {
    return tutti::Error{tutti::ErrorKind::invalid_comm, what};
  };
  if (!mpi_is_running()) return problem("MPI is not running");
  if (comm == MPI_COMM_NULL) return problem("the communicator is null");
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  if (inter != 0) return problem("an intercommunicator cannot open files");
  return std::nullopt;
}

std::optional<tutti::Error> mode_problem(const std::string& name, const Mode& mode) {
  const auto problem = [&](const char* what) {
    return tutti::Error{tutti::ErrorKind::invalid_amode, name + ": " + what};
  };
  if (!mode.read && !mode.write) return problem("the mode has neither read nor write");
  if ((mode.create || mode.exclusive) && !mode.write)
    return problem("the modes create and exclusive need write");
  return std::nullopt;
}

// Collective.
Result<std::unique_ptr<OpenFile>> open_together(MPI_Comm comm, const std::string& name,
                                                const Mode& mode, std::span<const Hint> given) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  std::optional<tutti::Error> failure = mode_problem(name, mode);
  const auto mine = hints_from(given, rank == 0);
  if (!failure && !mine)
    failure = tutti::Error{mine.error().kind, name + ": " + mine.error().message};
  if (auto agreed = agree(comm, failure); !agreed) return tl::make_unexpected(agreed.error());
  const auto hints = hints_of_first(comm, *mine);
  if (!hints) return tl::make_unexpected(hints.error());
  return open_file(comm, name,
                   {.read = mode.read,
                    .write = mode.write,
                    .create = mode.create,
                    .exclusive = mode.exclusive,
                    .delete_on_close = mode.delete_on_close},
                   *hints);
}

// Collective. Closes what is open; after MPI_Finalize only this process lets go of it.
Status close_state(const std::shared_ptr<detail::FileState>& state) {
  OpenFile* const engine = idle_engine_of(state);
  if (engine == nullptr) return tl::make_unexpected(closed_error());
  state->last_counters = engine->counters;
  if (mpi_is_running()) return close_file(std::move(state->engine));
  state->engine.reset();
  return {};
}

// Collective. What only one rank does and all learn the outcome of.
template <class Action>
Outcome<void> by_first_rank(const std::shared_ptr<detail::FileState>& state, const Action& action) {
  OpenFile* const engine = idle_engine_of(state);
  if (engine == nullptr) return public_error(closed_error());
  std::optional<tutti::Error> failure;
  if (engine->rank == 0)
    if (const Status done = action(*engine); !done) failure = done.error();
  return public_outcome(agree(engine->comm.get(), failure));
}

}  // namespace

Outcome<File> File::open(MPI_Comm comm, std::string_view name, const Mode& mode,
                         std::span<const Hint> hints) {
  if (const auto problem = comm_problem(comm)) return public_error(*problem);
  auto opened = open_together(comm, std::string(name), mode, hints);
  if (!opened) return public_error(opened.error());
  auto state = std::make_shared<detail::FileState>();
  state->engine = std::move(*opened);
  return File(std::move(state));
}

File& File::operator=(File&& other) noexcept {
  if (this != &other) {
    (void)close_state(state_);
    state_ = std::move(other.state_);
  }
  return *this;
}

File::~File() { (void)close_state(state_); }

Outcome<void> File::close() { return public_outcome(close_state(state_)); }

Outcome<std::int64_t> File::size() const {
  OpenFile* const engine = engine_of(state_);
  if (engine == nullptr) return public_error(closed_error());
  const auto bytes = engine->device->size();
  if (!bytes) return public_error(bytes.error());
  return *bytes;
}

Counters File::counters() const {
  if (!state_) return {};
  return public_counters(state_->engine ? state_->engine->counters : state_->last_counters);
}

Outcome<void> File::resize(std::int64_t bytes) {
  return by_first_rank(state_, [&](OpenFile& engine) -> Status {
    if (bytes < 0)
      return fail(tutti::ErrorKind::invalid_argument, engine.name + ": the new size is negative");
    return engine.device->resize(bytes);
  });
}

Outcome<void> File::sync() {
  OpenFile* const engine = idle_engine_of(state_);
  if (engine == nullptr) return public_error(closed_error());
  std::optional<tutti::Error> failure;
  if (const Status done = engine->device->sync(); !done) failure = done.error();
  return public_outcome(agree(engine->comm.get(), failure));
}

}  // namespace tutti::io
