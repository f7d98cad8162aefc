// Nonblocking reads and writes by explicit offset and by individual pointer.
#include "api/data_call.hpp"
#include "api/export.hpp"

namespace tutti {

namespace {

void* writable(const void* buffer) { return const_cast<void*>(buffer); }

constexpr bool kAlone = false;
constexpr bool kTogether = true;

}  // namespace

// Each macro defines one function of the standard for one type of count.
#define TUTTI_START_AT(name, Buffer, Count, direction, sharing)                  \
  TUTTI_MPI(name, (MPI_File file, MPI_Offset offset, Buffer buffer, Count count, \
                   MPI_Datatype type, MPI_Request * request)) {                  \
    return start_data({"MPI_" #name, Direction::direction, sharing}, file,       \
                      {offset, writable(buffer), count, type}, request);         \
  }

#define TUTTI_START(name, Buffer, Count, direction, sharing)                     \
  TUTTI_MPI(name, (MPI_File file, Buffer buffer, Count count, MPI_Datatype type, \
                   MPI_Request * request)) {                                     \
    return start_data({"MPI_" #name, Direction::direction, sharing}, file,       \
                      {kIndividual, writable(buffer), count, type}, request);    \
  }

TUTTI_START_AT(File_iread_at, void*, int, read, kAlone)
TUTTI_START_AT(File_iread_at_all, void*, int, read, kTogether)
TUTTI_START_AT(File_iwrite_at, const void*, int, write, kAlone)
TUTTI_START_AT(File_iwrite_at_all, const void*, int, write, kTogether)
TUTTI_START(File_iread, void*, int, read, kAlone)
TUTTI_START(File_iread_all, void*, int, read, kTogether)
TUTTI_START(File_iwrite, const void*, int, write, kAlone)
TUTTI_START(File_iwrite_all, const void*, int, write, kTogether)

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_START_AT(File_iread_at_c, void*, MPI_Count, read, kAlone)
TUTTI_START_AT(File_iread_at_all_c, void*, MPI_Count, read, kTogether)
TUTTI_START_AT(File_iwrite_at_c, const void*, MPI_Count, write, kAlone)
TUTTI_START_AT(File_iwrite_at_all_c, const void*, MPI_Count, write, kTogether)
TUTTI_START(File_iread_c, void*, MPI_Count, read, kAlone)
TUTTI_START(File_iread_all_c, void*, MPI_Count, read, kTogether)
TUTTI_START(File_iwrite_c, const void*, MPI_Count, write, kAlone)
TUTTI_START(File_iwrite_all_c, const void*, MPI_Count, write, kTogether)
#endif

}  // namespace tutti
