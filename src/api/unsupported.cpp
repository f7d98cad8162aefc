// Calls of the chapter that are still to come: nonblocking collective access.
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

TUTTI_START_AT(File_iread_at_all, void*, int)
TUTTI_START_AT(File_iwrite_at_all, const void*, int)
TUTTI_START(File_iread_all, void*, int)
TUTTI_START(File_iwrite_all, const void*, int)

#if TUTTI_HAS_LARGE_COUNT_CALLS
TUTTI_START_AT(File_iread_at_all_c, void*, MPI_Count)
TUTTI_START_AT(File_iwrite_at_all_c, const void*, MPI_Count)
TUTTI_START(File_iread_all_c, void*, MPI_Count)
TUTTI_START(File_iwrite_all_c, const void*, MPI_Count)
#endif

}  // namespace tutti
