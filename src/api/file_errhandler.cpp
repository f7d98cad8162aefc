// MPI_File_create_errhandler, set_errhandler, get_errhandler, call_errhandler.
#include <string>

#include "api/entry.hpp"
#include "mpi/call.hpp"

namespace tutti {

TUTTI_MPI(File_create_errhandler,
          (MPI_File_errhandler_function * function, MPI_Errhandler* errhandler)) {
  return without_file("MPI_File_create_errhandler", [&]() -> Status {
    if (errhandler == nullptr)
      return fail(ErrorKind::invalid_argument, "no place for the error handler");
    if (!mpi_is_running()) return fail(ErrorKind::unsupported_operation, "MPI is not running");
    const auto made = create_error_handler(function);
    if (!made) return tl::make_unexpected(made.error());
    *errhandler = *made;
    return {};
  });
}

TUTTI_MPI(File_set_errhandler, (MPI_File handle, MPI_Errhandler errhandler)) {
  constexpr const char* kCall = "MPI_File_set_errhandler";
  if (handle == MPI_FILE_NULL && mpi_is_running())
    return without_file(kCall, [&] { return ErrorHandler::set_on_file_null(errhandler); });
  return with_file(kCall, handle, [&](File& file) -> Status {
    auto own = ErrorHandler::reference(errhandler);
    if (!own) return tl::make_unexpected(own.error());
    file.handler = std::move(*own);
    return {};
  });
}

TUTTI_MPI(File_get_errhandler, (MPI_File handle, MPI_Errhandler* errhandler)) {
  constexpr const char* kCall = "MPI_File_get_errhandler";
  const auto no_place = [] {
    return fail(ErrorKind::invalid_argument, "no place for the error handler");
  };
  if (handle == MPI_FILE_NULL && mpi_is_running())
    return without_file(kCall, [&]() -> Status {
      if (errhandler == nullptr) return no_place();
      *errhandler = ErrorHandler::on_file_null().release();
      return {};
    });
  return with_file(kCall, handle, [&](File& file) -> Status {
    if (errhandler == nullptr) return no_place();
    auto reference = ErrorHandler::reference(file.handler.get());
    if (!reference) return tl::make_unexpected(reference.error());
    *errhandler = reference->release();
    return {};
  });
}

TUTTI_MPI(File_call_errhandler, (MPI_File handle, int code)) {
  constexpr const char* kCall = "MPI_File_call_errhandler";
  const auto text = [&] { return std::string(kCall) + " with code " + std::to_string(code); };
  if (handle == MPI_FILE_NULL && mpi_is_running())
    return without_file(kCall, [&]() -> Status {
      ErrorHandler::on_file_null().call(handle, MPI_COMM_WORLD, code, text());
      return {};
    });
  return with_file(kCall, handle, [&](File& file) -> Status {
    file.handler.call(handle, file.comm(), code, text());
    return {};
  });
}

}  // namespace tutti
