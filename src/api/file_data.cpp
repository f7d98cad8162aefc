// Blocking reads and writes by explicit offset and by individual pointer, split collectives.
#include "api/data_call.hpp"
#include "api/export.hpp"

namespace tutti {

namespace {

void* writable(const void* buffer) { return const_cast<void*>(buffer); }

constexpr bool kAlone = false;
constexpr bool kTogether = true;

}  // namespace

// Each macro defines one function of the standard for one type of count.
#define TUTTI_AT(name, Buffer, Count, direction, sharing)                        \
  TUTTI_MPI(name, (MPI_File file, MPI_Offset offset, Buffer buffer, Count count, \
                   MPI_Datatype type, MPI_Status * status)) {                    \
    return move_data({"MPI_" #name, Direction::direction, sharing}, file,        \
                     {offset, writable(buffer), count, type}, status);           \
  }

#define TUTTI_POINTER(name, Buffer, Count, direction, sharing)                                     \
  TUTTI_MPI(name,                                                                                  \
            (MPI_File file, Buffer buffer, Count count, MPI_Datatype type, MPI_Status * status)) { \
    return move_data({"MPI_" #name, Direction::direction, sharing}, file,                          \
                     {kIndividual, writable(buffer), count, type}, status);                        \
  }

#define TUTTI_AT_BEGIN(name, Buffer, Count, direction, end)                                      \
  TUTTI_MPI(name,                                                                                \
            (MPI_File file, MPI_Offset offset, Buffer buffer, Count count, MPI_Datatype type)) { \
    return begin_split({"MPI_" #name, Direction::direction, kTogether, "MPI_" #end}, file,       \
                       {offset, writable(buffer), count, type});                                 \
  }

#define TUTTI_POINTER_BEGIN(name, Buffer, Count, direction, end)                           \
  TUTTI_MPI(name, (MPI_File file, Buffer buffer, Count count, MPI_Datatype type)) {        \
    return begin_split({"MPI_" #name, Direction::direction, kTogether, "MPI_" #end}, file, \
                       {kIndividual, writable(buffer), count, type});                      \
  }

#define TUTTI_END(name, Buffer)                                   \
  TUTTI_MPI(name, (MPI_File file, Buffer, MPI_Status * status)) { \
    return end_split("MPI_" #name, file, status);                 \
  }

TUTTI_AT(File_read_at, void*, int, read, kAlone)
TUTTI_AT(File_read_at_all, void*, int, read, kTogether)
TUTTI_AT(File_write_at, const void*, int, write, kAlone)
TUTTI_AT(File_write_at_all, const void*, int, write, kTogether)

TUTTI_POINTER(File_read, void*, int, read, kAlone)
TUTTI_POINTER(File_read_all, void*, int, read, kTogether)
TUTTI_POINTER(File_write, const void*, int, write, kAlone)
TUTTI_POINTER(File_write_all, const void*, int, write, kTogether)

TUTTI_AT_BEGIN(File_read_at_all_begin, void*, int, read, File_read_at_all_end)
TUTTI_AT_BEGIN(File_write_at_all_begin, const void*, int, write, File_write_at_all_end)
TUTTI_POINTER_BEGIN(File_read_all_begin, void*, int, read, File_read_all_end)
TUTTI_POINTER_BEGIN(File_write_all_begin, const void*, int, write, File_write_all_end)

TUTTI_END(File_read_at_all_end, void*)
TUTTI_END(File_write_at_all_end, const void*)
TUTTI_END(File_read_all_end, void*)
TUTTI_END(File_write_all_end, const void*)

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_AT(File_read_at_c, void*, MPI_Count, read, kAlone)
TUTTI_AT(File_read_at_all_c, void*, MPI_Count, read, kTogether)
TUTTI_AT(File_write_at_c, const void*, MPI_Count, write, kAlone)
TUTTI_AT(File_write_at_all_c, const void*, MPI_Count, write, kTogether)

TUTTI_POINTER(File_read_c, void*, MPI_Count, read, kAlone)
TUTTI_POINTER(File_read_all_c, void*, MPI_Count, read, kTogether)
TUTTI_POINTER(File_write_c, const void*, MPI_Count, write, kAlone)
TUTTI_POINTER(File_write_all_c, const void*, MPI_Count, write, kTogether)

TUTTI_AT_BEGIN(File_read_at_all_begin_c, void*, MPI_Count, read, File_read_at_all_end)
TUTTI_AT_BEGIN(File_write_at_all_begin_c, const void*, MPI_Count, write, File_write_at_all_end)
TUTTI_POINTER_BEGIN(File_read_all_begin_c, void*, MPI_Count, read, File_read_all_end)
TUTTI_POINTER_BEGIN(File_write_all_begin_c, const void*, MPI_Count, write, File_write_all_end)
#endif

}  // namespace tutti
