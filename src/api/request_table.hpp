// Requests of nonblocking file access. Each is a generalized request of the host MPI that stands
// for an operation of ours. Helper threads only note that an operation has finished; a thread of
// the program, inside one of its MPI calls, then completes the request.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "exec/operation.hpp"

namespace tutti {

// What a request of ours stands for.
struct PendingRequest {
  const char* call = nullptr;
  MPI_File file = MPI_FILE_NULL;
  std::string file_name;
  MPI_Request handle = MPI_REQUEST_NULL;
  std::shared_ptr<Operation> operation;
  std::atomic<bool> completed = false;  // the host knows that it is over
  std::atomic<int> lookers = 0;         // completing calls that have it in hand and raise its error
  // Guarded by the table: it leaves the table when the host has freed it and was told of its end.
  bool told = false;
  bool freed = false;
};

class RequestTable {
 public:
  // Local. A new request whose operation is still to be started.
  Result<std::shared_ptr<PendingRequest>> add(const char* call, MPI_File file,
                                              const std::string& file_name);

  // Local. Null for a request that is not ours.
  std::shared_ptr<PendingRequest> find(MPI_Request handle);

  // Local, by a thread that may call MPI. Completes the requests whose operations have finished.
  void complete_finished();

  // Local, called by the host: it will not ask about the request again. An error that no call
  // raises then is said on stderr.
  void note_freed(PendingRequest& request);

 private:
  void note_finished(const std::shared_ptr<PendingRequest>& request);

  std::atomic<std::int64_t> finished_count_ = 0;
  std::mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<PendingRequest>> requests_;
  std::vector<std::shared_ptr<PendingRequest>> finished_;
};

// The requests of this process.
RequestTable& pending_requests();

}  // namespace tutti
