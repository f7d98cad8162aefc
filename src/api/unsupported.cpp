// Calls of the chapter that are still to come: nonblocking access, shared pointers and ordered
// access, data representations of the program's own.
#include "api/entry.hpp"

namespace tutti {

namespace {

Status not_yet(const char* call) {
  return fail(ErrorKind::unsupported_operation, std::string(call) + " is not supported yet");
}

int refuse(const char* call, MPI_File handle) noexcept {
  return with_file(call, handle, [&](File&) { return not_yet(call); });
}

int refuse_request(const char* call, MPI_File handle, MPI_Request* request) noexcept {
  if (request != nullptr) *request = MPI_REQUEST_NULL;
  return refuse(call, handle);
}

}  // namespace

#define TUTTI_START_AT(name, Buffer, Count)                                                    \
  TUTTI_MPI(name,                                                                              \
            (MPI_File file, MPI_Offset, Buffer, Count, MPI_Datatype, MPI_Request * request)) { \
    return refuse_request("MPI_" #name, file, request);                                        \
  }
#define TUTTI_START(name, Buffer, Count)                                                 \
  TUTTI_MPI(name, (MPI_File file, Buffer, Count, MPI_Datatype, MPI_Request * request)) { \
    return refuse_request("MPI_" #name, file, request);                                  \
  }
#define TUTTI_SHARED(name, Buffer, Count)                                      \
  TUTTI_MPI(name, (MPI_File file, Buffer, Count, MPI_Datatype, MPI_Status*)) { \
    return refuse("MPI_" #name, file);                                         \
  }
#define TUTTI_ORDERED_BEGIN(name, Buffer, Count)                  \
  TUTTI_MPI(name, (MPI_File file, Buffer, Count, MPI_Datatype)) { \
    return refuse("MPI_" #name, file);                            \
  }
#define TUTTI_ORDERED_END(name, Buffer) \
  TUTTI_MPI(name, (MPI_File file, Buffer, MPI_Status*)) { return refuse("MPI_" #name, file); }

TUTTI_START_AT(File_iread_at, void*, int)
TUTTI_START_AT(File_iread_at_all, void*, int)
TUTTI_START_AT(File_iwrite_at, const void*, int)
TUTTI_START_AT(File_iwrite_at_all, const void*, int)
TUTTI_START(File_iread, void*, int)
TUTTI_START(File_iread_all, void*, int)
TUTTI_START(File_iread_shared, void*, int)
TUTTI_START(File_iwrite, const void*, int)
TUTTI_START(File_iwrite_all, const void*, int)
TUTTI_START(File_iwrite_shared, const void*, int)

TUTTI_SHARED(File_read_shared, void*, int)
TUTTI_SHARED(File_write_shared, const void*, int)
TUTTI_SHARED(File_read_ordered, void*, int)
TUTTI_SHARED(File_write_ordered, const void*, int)
TUTTI_ORDERED_BEGIN(File_read_ordered_begin, void*, int)
TUTTI_ORDERED_BEGIN(File_write_ordered_begin, const void*, int)
TUTTI_ORDERED_END(File_read_ordered_end, void*)
TUTTI_ORDERED_END(File_write_ordered_end, const void*)

TUTTI_MPI(File_seek_shared, (MPI_File file, MPI_Offset, int)) {
  return refuse("MPI_File_seek_shared", file);
}
TUTTI_MPI(File_get_position_shared, (MPI_File file, MPI_Offset*)) {
  return refuse("MPI_File_get_position_shared", file);
}

TUTTI_MPI(Register_datarep,
          (const char*, MPI_Datarep_conversion_function*, MPI_Datarep_conversion_function*,
           MPI_Datarep_extent_function*, void*)) {
  constexpr const char* kCall = "MPI_Register_datarep";
  return without_file(kCall, [&] { return not_yet(kCall); });
}

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_START_AT(File_iread_at_c, void*, MPI_Count)
TUTTI_START_AT(File_iread_at_all_c, void*, MPI_Count)
TUTTI_START_AT(File_iwrite_at_c, const void*, MPI_Count)
TUTTI_START_AT(File_iwrite_at_all_c, const void*, MPI_Count)
TUTTI_START(File_iread_c, void*, MPI_Count)
TUTTI_START(File_iread_all_c, void*, MPI_Count)
TUTTI_START(File_iread_shared_c, void*, MPI_Count)
TUTTI_START(File_iwrite_c, const void*, MPI_Count)
TUTTI_START(File_iwrite_all_c, const void*, MPI_Count)
TUTTI_START(File_iwrite_shared_c, const void*, MPI_Count)

TUTTI_SHARED(File_read_shared_c, void*, MPI_Count)
TUTTI_SHARED(File_write_shared_c, const void*, MPI_Count)
TUTTI_SHARED(File_read_ordered_c, void*, MPI_Count)
TUTTI_SHARED(File_write_ordered_c, const void*, MPI_Count)
TUTTI_ORDERED_BEGIN(File_read_ordered_begin_c, void*, MPI_Count)
TUTTI_ORDERED_BEGIN(File_write_ordered_begin_c, const void*, MPI_Count)

TUTTI_MPI(Register_datarep_c,
          (const char*, MPI_Datarep_conversion_function_c*, MPI_Datarep_conversion_function_c*,
           MPI_Datarep_extent_function*, void*)) {
  constexpr const char* kCall = "MPI_Register_datarep_c";
  return without_file(kCall, [&] { return not_yet(kCall); });
}
#endif

}  // namespace tutti
