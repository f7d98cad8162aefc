#include "api/start_access.hpp"

#include <utility>

#include "api/request_table.hpp"
#include "exec/nonblocking.hpp"

namespace tutti {

Status start_alone(const char* call, MPI_File handle, File& file, Access access,
                   MPI_Request* request) {
  auto pending = pending_requests().add(call, handle);
  if (!pending) return tl::make_unexpected(pending.error());
  *request = (*pending)->handle;
  file.engine->nonblocking->start_alone((*pending)->operation, std::move(access));
  return {};
}

}  // namespace tutti
