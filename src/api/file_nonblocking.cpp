// Nonblocking reads and writes by explicit offset and by individual pointer.
#include "api/data_functions.hpp"

namespace tutti {

TUTTI_START_AT(File_iread_at, void*, int, read, kAlone)
TUTTI_START_AT(File_iread_at_all, void*, int, read, kTogether)
TUTTI_START_AT(File_iwrite_at, const void*, int, write, kAlone)
TUTTI_START_AT(File_iwrite_at_all, const void*, int, write, kTogether)
TUTTI_START_BY(kIndividual, File_iread, void*, int, read, kAlone)
TUTTI_START_BY(kIndividual, File_iread_all, void*, int, read, kTogether)
TUTTI_START_BY(kIndividual, File_iwrite, const void*, int, write, kAlone)
TUTTI_START_BY(kIndividual, File_iwrite_all, const void*, int, write, kTogether)

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_START_AT(File_iread_at_c, void*, MPI_Count, read, kAlone)
TUTTI_START_AT(File_iread_at_all_c, void*, MPI_Count, read, kTogether)
TUTTI_START_AT(File_iwrite_at_c, const void*, MPI_Count, write, kAlone)
TUTTI_START_AT(File_iwrite_at_all_c, const void*, MPI_Count, write, kTogether)
TUTTI_START_BY(kIndividual, File_iread_c, void*, MPI_Count, read, kAlone)
TUTTI_START_BY(kIndividual, File_iread_all_c, void*, MPI_Count, read, kTogether)
TUTTI_START_BY(kIndividual, File_iwrite_c, const void*, MPI_Count, write, kAlone)
TUTTI_START_BY(kIndividual, File_iwrite_all_c, const void*, MPI_Count, write, kTogether)
#endif

}  // namespace tutti
