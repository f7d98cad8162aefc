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

Status start_together(const char* call, MPI_File handle, File& file, Access access,
                      std::optional<Error> refusal, MPI_Request* request) {
  auto pending = pending_requests().add(call, handle);
  if (!pending) return tl::make_unexpected(pending.error());
  *request = (*pending)->handle;
  file.engine->nonblocking->start_together((*pending)->operation, std::move(access),
                                           std::move(refusal));
  return {};
}

std::shared_ptr<Operation> begin_together(File& file, Access access, std::optional<Error> refusal) {
  auto operation = std::make_shared<Operation>();
  file.engine->nonblocking->start_together(operation, std::move(access), std::move(refusal));
  return operation;
}

}  // namespace tutti
