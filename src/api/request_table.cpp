#include "api/request_table.hpp"

#include <string>
#include <utility>

#include "exec/starting_hints.hpp"
#include "mpi/call.hpp"

namespace tutti {

namespace {

// MPICH's handles are numbers, Open MPI's are addresses.
std::uintptr_t key_of(MPI_Request handle) { return (std::uintptr_t)handle; }  // NOLINT

// An error must not be returned here, it would end the job: whoever completes the request raises
// it.
int fill_status(void* state, MPI_Status* status) {
  const auto& request = *static_cast<PendingRequest*>(state);
  const auto& outcome = request.operation->outcome();
  PMPI_Status_set_elements_x(status, MPI_BYTE, outcome ? *outcome : 0);
  PMPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = MPI_UNDEFINED;
  status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}

int note_freed(void* state) {
  pending_requests().note_freed(*static_cast<PendingRequest*>(state));
  return MPI_SUCCESS;
}

void say_lost_failure(const PendingRequest& request) {
  const auto& outcome = request.operation->outcome();
  if (outcome) return;
  const std::string& why = outcome.error().message;
  const std::string file = why.starts_with(request.file_name) ? "" : request.file_name + ": ";
  complain(std::string(request.call) + ", whose request was freed: " + file + why);
}

// File access is not cancelled, and its status says so.
int ignore_cancel(void*, int) { return MPI_SUCCESS; }

}  // namespace

RequestTable& pending_requests() {
  static RequestTable& table = *new RequestTable;  // helper threads may outlive exit handlers
  return table;
}

Result<std::shared_ptr<PendingRequest>> RequestTable::add(const char* call, MPI_File file,
                                                          const std::string& file_name) {
  auto request = std::make_shared<PendingRequest>();
  request->call = call;
  request->file = file;
  request->file_name = file_name;
  request->operation = std::make_shared<Operation>([this, request] { note_finished(request); });
  if (auto started = mpi_status(PMPI_Grequest_start(fill_status, tutti::note_freed, ignore_cancel,
                                                    request.get(), &request->handle),
                                "MPI_Grequest_start");
      !started)
    return tl::make_unexpected(started.error());
  const std::lock_guard lock(mutex_);
  requests_.insert_or_assign(key_of(request->handle), request);
  process_progress().add_outstanding(1);
  return request;
}

std::shared_ptr<PendingRequest> RequestTable::find(MPI_Request handle) {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(key_of(handle));
  return found == requests_.end() ? nullptr : found->second;
}

void RequestTable::note_finished(const std::shared_ptr<PendingRequest>& request) {
  const std::lock_guard lock(mutex_);
  finished_.push_back(request);
  finished_count_.fetch_add(1);
}

void RequestTable::complete_finished() {
  if (finished_count_.load() == 0) return;
  std::vector<std::shared_ptr<PendingRequest>> now;
  {
    const std::lock_guard lock(mutex_);
    now.swap(finished_);
    finished_count_.store(0);
    for (const auto& request : now) {
      request->told = true;
      // The host may give the handle out again as soon as it is told of the end of a freed one.
      if (request->freed) {
        requests_.erase(key_of(request->handle));
        process_progress().add_outstanding(-1);
        say_lost_failure(*request);
      }
    }
  }
  for (const auto& request : now) {
    PMPI_Grequest_complete(request->handle);
    request->completed.store(true, std::memory_order_release);
  }
}

void RequestTable::note_freed(PendingRequest& request) {
  std::shared_ptr<PendingRequest> last;  // outlives the lock
  const std::lock_guard lock(mutex_);
  request.freed = true;
  if (!request.told) return;
  const auto found = requests_.find(key_of(request.handle));
  if (found == requests_.end() || found->second.get() != &request) return;
  last = std::move(found->second);
  requests_.erase(found);
  process_progress().add_outstanding(-1);
  if (request.lookers == 0) say_lost_failure(request);
}

}  // namespace tutti
