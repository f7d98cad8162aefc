// Error handlers that Fortran and C++ programs make. MPICH's bindings come to
// MPI_File_create_errhandler; Open MPI's call an inner function of the host instead, which is owned
// here too. What MPICH's Fortran has made is called like a function of C: with the address of a
// file handle, whose first bytes are the handle's Fortran value.
#include "api/error_handler.hpp"
#include "mpi/real_mpi.hpp"

#if defined(TUTTI_HOST_OPENMPI)

extern "C" {
using OmpiErrhandlerCreate = MPI_Errhandler(int object_type, MPI_File_errhandler_function* function,
                                            int language);
__attribute__((visibility("default"))) OmpiErrhandlerCreate ompi_errhandler_create;
}

MPI_Errhandler ompi_errhandler_create(int object_type, MPI_File_errhandler_function* function,
                                      int language) {
  constexpr int kForFiles = 3;
  constexpr tutti::HandlerLanguage kLanguages[] = {
      tutti::HandlerLanguage::c, tutti::HandlerLanguage::cxx, tutti::HandlerLanguage::fortran};
  static OmpiErrhandlerCreate* const create =
      reinterpret_cast<OmpiErrhandlerCreate*>(tutti::host_symbol("ompi_errhandler_create"));
  if (create == nullptr) return nullptr;
  MPI_Errhandler made = create(object_type, function, language);
  if (made != nullptr && object_type == kForFiles && language >= 0 && language < 3)
    tutti::note_error_handler(made, function, kLanguages[language]);
  return made;
}

#endif
