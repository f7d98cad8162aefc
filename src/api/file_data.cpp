// Blocking reads and writes by explicit offset and by individual pointer, split collectives.
#include "api/data_functions.hpp"

namespace tutti {

TUTTI_AT(File_read_at, void*, int, read, kAlone)
TUTTI_AT(File_read_at_all, void*, int, read, kTogether)
TUTTI_AT(File_write_at, const void*, int, write, kAlone)
TUTTI_AT(File_write_at_all, const void*, int, write, kTogether)

TUTTI_BY(kIndividual, File_read, void*, int, read, kAlone)
TUTTI_BY(kIndividual, File_read_all, void*, int, read, kTogether)
TUTTI_BY(kIndividual, File_write, const void*, int, write, kAlone)
TUTTI_BY(kIndividual, File_write_all, const void*, int, write, kTogether)

TUTTI_BEGIN_AT(File_read_at_all_begin, void*, int, read, File_read_at_all_end)
TUTTI_BEGIN_AT(File_write_at_all_begin, const void*, int, write, File_write_at_all_end)
TUTTI_BEGIN_BY(kIndividual, File_read_all_begin, void*, int, read, File_read_all_end)
TUTTI_BEGIN_BY(kIndividual, File_write_all_begin, const void*, int, write, File_write_all_end)

TUTTI_END(File_read_at_all_end, void*)
TUTTI_END(File_write_at_all_end, const void*)
TUTTI_END(File_read_all_end, void*)
TUTTI_END(File_write_all_end, const void*)

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_AT(File_read_at_c, void*, MPI_Count, read, kAlone)
TUTTI_AT(File_read_at_all_c, void*, MPI_Count, read, kTogether)
TUTTI_AT(File_write_at_c, const void*, MPI_Count, write, kAlone)
TUTTI_AT(File_write_at_all_c, const void*, MPI_Count, write, kTogether)

TUTTI_BY(kIndividual, File_read_c, void*, MPI_Count, read, kAlone)
TUTTI_BY(kIndividual, File_read_all_c, void*, MPI_Count, read, kTogether)
TUTTI_BY(kIndividual, File_write_c, const void*, MPI_Count, write, kAlone)
TUTTI_BY(kIndividual, File_write_all_c, const void*, MPI_Count, write, kTogether)

TUTTI_BEGIN_AT(File_read_at_all_begin_c, void*, MPI_Count, read, File_read_at_all_end)
TUTTI_BEGIN_AT(File_write_at_all_begin_c, const void*, MPI_Count, write, File_write_at_all_end)
TUTTI_BEGIN_BY(kIndividual, File_read_all_begin_c, void*, MPI_Count, read, File_read_all_end)
TUTTI_BEGIN_BY(kIndividual, File_write_all_begin_c, const void*, MPI_Count, write,
               File_write_all_end)
#endif

}  // namespace tutti
