#include "api/error_handler.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "api/handle_table.hpp"
#include "mpi/call.hpp"
#include "mpi/real_mpi.hpp"

namespace tutti {

namespace {

using Function = MPI_File_errhandler_function;

// Handles and their functions. The host frees handles without telling; a stale entry is replaced
// when the host gives the same handle out again.
class HandlerBook {
 public:
  struct Entry {
    MPI_Errhandler handle;
    Function* function;
    HandlerLanguage language;
  };

  std::mutex lock;  // also guards the host's MPI_FILE_NULL while it lends a reference

  void add(const Entry& added) {
    for (Entry& entry : entries_)
      if (entry.handle == added.handle) {
        entry = added;
        return;
      }
    entries_.push_back(added);
  }
  std::optional<Entry> find(MPI_Errhandler handle) const {
    for (const Entry& entry : entries_)
      if (entry.handle == handle) return entry;
    return std::nullopt;
  }

 private:
  std::vector<Entry> entries_;
};

HandlerBook& book() {
  static HandlerBook& all = *new HandlerBook;  // errors may happen in exit handlers
  return all;
}

// MPICH reports a handler of the wrong kind on MPI_COMM_WORLD, which would end the job.
class WorldReturnsErrors {
 public:
#if defined(TUTTI_HOST_MPICH)
  WorldReturnsErrors() {
    PMPI_Comm_get_errhandler(MPI_COMM_WORLD, &before_);
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~WorldReturnsErrors() {
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, before_);
    PMPI_Errhandler_free(&before_);
  }
  WorldReturnsErrors(const WorldReturnsErrors&) = delete;
  WorldReturnsErrors& operator=(const WorldReturnsErrors&) = delete;

 private:
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
#endif
};

int host_set(MPI_Errhandler handle) {
  return host_function<&PMPI_File_set_errhandler>("PMPI_File_set_errhandler")(MPI_FILE_NULL,
                                                                              handle);
}

MPI_Errhandler host_get() {
  MPI_Errhandler handle = MPI_ERRORS_RETURN;
  host_function<&PMPI_File_get_errhandler>("PMPI_File_get_errhandler")(MPI_FILE_NULL, &handle);
  return handle;
}

bool is_predefined(MPI_Errhandler handle) {
#if defined(TUTTI_HOST_MPICH)
  if (handle == MPI_ERRORS_ABORT) return true;
#endif
  return handle == MPI_ERRORS_RETURN || handle == MPI_ERRORS_ARE_FATAL;
}

void free_reference(MPI_Errhandler handle) {
  if (!is_predefined(handle) && mpi_is_running()) PMPI_Errhandler_free(&handle);
}

// Sets `handle` on the host's MPI_FILE_NULL if it is one for files. Whatever was there before must
// not be called for a wrong one.
bool host_takes(MPI_Errhandler handle) {
  if (handle == MPI_ERRHANDLER_NULL) return false;
  if (is_predefined(handle)) return host_set(handle) == MPI_SUCCESS;
  [[maybe_unused]] const WorldReturnsErrors quietly;
  host_set(MPI_ERRORS_RETURN);
  return host_set(handle) == MPI_SUCCESS;
}

void say_uncalled(const char* why) {
  std::fprintf(stderr, "tutti: an error handler for files is not called: %s\n", why);
}

// A function of Open MPI's C++ bindings wants an MPI::File, which the bindings' library can make.
void call_cxx_function(Function* function, MPI_File file, int code) {
  using Dispatch = void(MPI_File * file, int* code, const char* message, Function* function);
  static auto* const dispatch =
      reinterpret_cast<Dispatch*>(dlsym(RTLD_DEFAULT, "ompi_mpi_cxx_file_errhandler_invoke"));
  if (dispatch != nullptr) return dispatch(&file, &code, "", function);
  say_uncalled("the C++ bindings that it was made with are gone");
}

// A Fortran function is given the address of the handle's Fortran value.
void call_function(Function* function, HandlerLanguage language, MPI_File file, int code) {
  MPI_Fint value = open_files().to_fortran(file);
  switch (language) {
    case HandlerLanguage::c:
      return function(&file, &code);
    case HandlerLanguage::cxx:
      return call_cxx_function(function, file, code);
    case HandlerLanguage::fortran:
      return reinterpret_cast<void (*)(MPI_Fint*, int*)>(function)(&value, &code);
  }
}

tl::unexpected<Error> wrong_handler() {
  return fail(ErrorKind::invalid_argument, "the error handler is not one for files");
}

}  // namespace

ErrorHandler::ErrorHandler(ErrorHandler&& other) noexcept : handle_(other.release()) {}

ErrorHandler& ErrorHandler::operator=(ErrorHandler&& other) noexcept {
  if (this != &other) {
    free_reference(handle_);
    handle_ = other.release();
  }
  return *this;
}

ErrorHandler::~ErrorHandler() { free_reference(handle_); }

MPI_Errhandler ErrorHandler::release() { return std::exchange(handle_, MPI_ERRORS_RETURN); }

Result<ErrorHandler> ErrorHandler::reference(MPI_Errhandler handle) {
  if (is_predefined(handle)) return ErrorHandler(handle);
  const std::lock_guard guard(book().lock);
  const ErrorHandler before(host_get());
  const bool taken = host_takes(handle);
  ErrorHandler own;
  if (taken) own = ErrorHandler(host_get());
  host_set(before.get());
  if (!taken) return wrong_handler();
  return own;
}

int ErrorHandler::call(MPI_File file, MPI_Comm comm, int code, std::string_view message) const {
  if (handle_ == MPI_ERRORS_RETURN) return code;
  const bool fatal = handle_ == MPI_ERRORS_ARE_FATAL;
#if defined(TUTTI_HOST_MPICH)
  const bool local_fatal = handle_ == MPI_ERRORS_ABORT;
#else
  const bool local_fatal = false;
#endif
  if (fatal || local_fatal) {
    std::fprintf(stderr, "tutti: %.*s (the error handler ends the job)\n",
                 static_cast<int>(message.size()), message.data());
    PMPI_Abort(local_fatal ? MPI_COMM_SELF : comm, code);
    return code;
  }
  std::optional<HandlerBook::Entry> found;
  {
    const std::lock_guard guard(book().lock);
    found = book().find(handle_);
  }
  if (found)
    call_function(found->function, found->language, file, code);
  else
    say_uncalled("it was made by a function of the host that Tutti does not see");
  return code;
}

Result<MPI_Errhandler> create_error_handler(Function* function) {
  if (function == nullptr) return fail(ErrorKind::invalid_argument, "the function is null");
  MPI_Errhandler handle = MPI_ERRHANDLER_NULL;
  if (auto made = mpi_status(host_function<&PMPI_File_create_errhandler>(
                                 "PMPI_File_create_errhandler")(function, &handle),
                             "MPI_File_create_errhandler");
      !made)
    return tl::make_unexpected(made.error());
  note_error_handler(handle, function, HandlerLanguage::c);
  return handle;
}

void note_error_handler(MPI_Errhandler handle, Function* function, HandlerLanguage language) {
  const std::lock_guard guard(book().lock);
  book().add({handle, function, language});
}

ErrorHandler ErrorHandler::on_file_null() {
  const std::lock_guard guard(book().lock);
  return ErrorHandler(host_get());
}

Status ErrorHandler::set_on_file_null(MPI_Errhandler handle) {
  const std::lock_guard guard(book().lock);
  const ErrorHandler before(host_get());
  if (host_takes(handle)) return {};
  host_set(before.get());
  return wrong_handler();
}

}  // namespace tutti
