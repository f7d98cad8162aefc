// MPI_File_c2f, MPI_File_f2c.
#include "api/entry.hpp"

namespace tutti {

TUTTI_MPI_RETURNING(MPI_Fint, File_c2f, (MPI_File handle)) {
  return open_files().to_fortran(handle);
}

TUTTI_MPI_RETURNING(MPI_File, File_f2c, (MPI_Fint value)) {
  return open_files().from_fortran(value);
}

}  // namespace tutti
