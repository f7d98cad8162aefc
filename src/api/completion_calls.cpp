// MPI_Wait, MPI_Test and their kin, which the host owns: requests of file access are completed on
// the way. Where no such request is outstanding, a call costs one load and a jump.
#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/entry.hpp"
#include "api/mpi_error.hpp"
#include "api/request_table.hpp"
#include "exec/progress.hpp"
#include "mpi/host_completion.hpp"

namespace tutti {

namespace {

// The requests of ours in an array, which the host's call may free.
class Ours {
 public:
  Ours(int count, const MPI_Request* requests) {
    for (int i = 0; requests != nullptr && i < count; ++i)
      if (requests[i] != MPI_REQUEST_NULL)
        if (auto found = pending_requests().find(requests[i])) {
          found_.push_back({i, std::move(found)});
          ++found_.back().request->lookers;
        }
    attend();
  }
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;
  ~Ours() {
    for (const Found& found : found_) --found.request->lookers;
  }

  // Whether the host's own blocking call may be used: nothing waits for this thread meanwhile.
  bool may_block() const { return found_.empty() && !process_progress().polled(); }

  // For a call that returns only when all of them are complete.
  void help() const {
    for (const Found& found : found_) found.request->operation->help();
  }

  void wait() const {
    help();
    wait_until([&] {
      pending_requests().complete_finished();
      for (const Found& found : found_)
        if (!found.request->completed.load(std::memory_order_acquire)) return false;
      return true;
    });
  }

  // Raises what went wrong with request number `index`, if it is one of ours. REQUIRES: it is
  // complete.
  int raise_failure(int index) const {
    const auto found = std::lower_bound(found_.begin(), found_.end(), index,
                                        [](const Found& a, int b) { return a.index < b; });
    if (found == found_.end() || found->index != index) return MPI_SUCCESS;
    return raise_failure(*found->request);
  }

  // The same for the requests that a call with many statuses completed: status k belongs to request
  // indices[k], or k where there are no indices. Returns what the call has to return.
  int raise_failures(int code, int count, const int* indices, MPI_Status* statuses) const {
    if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) return code;
    bool marked = code == MPI_ERR_IN_STATUS;
    for (int k = 0; k < count; ++k) {
      const int failure = raise_failure(indices == nullptr ? k : indices[k]);
      if (failure == MPI_SUCCESS) continue;
      if (statuses != MPI_STATUSES_IGNORE) {
        if (!marked)
          for (int i = 0; i < count; ++i) statuses[i].MPI_ERROR = MPI_SUCCESS;
        statuses[k].MPI_ERROR = failure;
      }
      marked = true;
    }
    return marked ? MPI_ERR_IN_STATUS : code;
  }

 private:
  struct Found {
    int index;
    std::shared_ptr<PendingRequest> request;
  };

  static int raise_failure(const PendingRequest& request) {
    const auto& outcome = request.operation->outcome();
    if (outcome) return MPI_SUCCESS;
    return raise(request.call, request.file, open_files().find(request.file), outcome.error());
  }

  std::vector<Found> found_;  // in the order of the array
};

// body(Ours) -> code of the call.
template <class Body>
int with_ours(int count, const MPI_Request* requests, const Body& body) noexcept {
  try {
    return body(Ours(count, requests));
  } catch (...) {
    return error_class(caught().kind);
  }
}

// Until the host's MPI_Waitall would not block. It completes what fails together with the rest, so
// it is asked about each request instead of all at once.
void wait_for_host(int count, const MPI_Request* requests) {
  int next = 0;
  wait_until([&] {
    for (; next < count; ++next) {
      int flag = 0;
      if (requests[next] == MPI_REQUEST_NULL) continue;
      const int code = host_completion().get_status(requests[next], &flag, MPI_STATUS_IGNORE);
      if (code == MPI_SUCCESS && flag == 0) return false;
    }
    return true;
  });
}

int wait_one(MPI_Request* request, MPI_Status* status) noexcept {
  return with_ours(1, request, [&](const Ours& ours) {
    if (ours.may_block()) return host_completion().wait(request, status);
    ours.help();
    int code = MPI_SUCCESS;
    wait_until([&] {
      int flag = 0;
      pending_requests().complete_finished();
      code = host_completion().test(request, &flag, status);
      return code != MPI_SUCCESS || flag != 0;
    });
    return code == MPI_SUCCESS ? ours.raise_failure(0) : code;
  });
}

int test_one(MPI_Request* request, int* flag, MPI_Status* status) noexcept {
  return with_ours(1, request, [&](const Ours& ours) {
    const int code = host_completion().test(request, flag, status);
    return code == MPI_SUCCESS && *flag != 0 ? ours.raise_failure(0) : code;
  });
}

int wait_all(int count, MPI_Request* requests, MPI_Status* statuses) noexcept {
  return with_ours(count, requests, [&](const Ours& ours) {
    ours.wait();
    if (process_progress().polled()) wait_for_host(count, requests);
    const int code = host_completion().wait_all(count, requests, statuses);
    return ours.raise_failures(code, count, nullptr, statuses);
  });
}

int test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) noexcept {
  return with_ours(count, requests, [&](const Ours& ours) {
    const int code = host_completion().test_all(count, requests, flag, statuses);
    if (code == MPI_SUCCESS && *flag == 0) return code;
    return ours.raise_failures(code, count, nullptr, statuses);
  });
}

int test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) noexcept {
  return with_ours(count, requests, [&](const Ours& ours) {
    const int code = host_completion().test_any(count, requests, index, flag, status);
    return code == MPI_SUCCESS && *flag != 0 ? ours.raise_failure(*index) : code;
  });
}

int wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status) noexcept {
  return with_ours(count, requests, [&](const Ours& ours) {
    if (ours.may_block()) return host_completion().wait_any(count, requests, index, status);
    int code = MPI_SUCCESS;
    wait_until([&] {
      int flag = 0;
      pending_requests().complete_finished();
      code = host_completion().test_any(count, requests, index, &flag, status);
      return code != MPI_SUCCESS || flag != 0;
    });
    return code == MPI_SUCCESS ? ours.raise_failure(*index) : code;
  });
}

int test_some(int count, MPI_Request* requests, int* completed, int* indices,
              MPI_Status* statuses) noexcept {
  return with_ours(count, requests, [&](const Ours& ours) {
    const int code = host_completion().test_some(count, requests, completed, indices, statuses);
    return ours.raise_failures(code, *completed, indices, statuses);
  });
}

int wait_some(int count, MPI_Request* requests, int* completed, int* indices,
              MPI_Status* statuses) noexcept {
  return with_ours(count, requests, [&](const Ours& ours) {
    if (ours.may_block())
      return host_completion().wait_some(count, requests, completed, indices, statuses);
    int code = MPI_SUCCESS;
    wait_until([&] {
      pending_requests().complete_finished();
      code = host_completion().test_some(count, requests, completed, indices, statuses);
      return code != MPI_SUCCESS || *completed != 0;
    });
    return ours.raise_failures(code, *completed, indices, statuses);
  });
}

}  // namespace

TUTTI_MPI(Wait, (MPI_Request * request, MPI_Status* status)) {
  if (!process_progress().busy()) [[likely]]
    return host_completion().wait(request, status);
  return wait_one(request, status);
}

TUTTI_MPI(Test, (MPI_Request * request, int* flag, MPI_Status* status)) {
  if (!process_progress().busy()) [[likely]]
    return host_completion().test(request, flag, status);
  return test_one(request, flag, status);
}

TUTTI_MPI(Waitall, (int count, MPI_Request requests[], MPI_Status* statuses)) {
  if (!process_progress().busy()) [[likely]]
    return host_completion().wait_all(count, requests, statuses);
  return wait_all(count, requests, statuses);
}

TUTTI_MPI(Testall, (int count, MPI_Request requests[], int* flag, MPI_Status* statuses)) {
  if (!process_progress().busy()) [[likely]]
    return host_completion().test_all(count, requests, flag, statuses);
  return test_all(count, requests, flag, statuses);
}

TUTTI_MPI(Waitany, (int count, MPI_Request requests[], int* index, MPI_Status* status)) {
  if (!process_progress().busy()) [[likely]]
    return host_completion().wait_any(count, requests, index, status);
  return wait_any(count, requests, index, status);
}

TUTTI_MPI(Testany, (int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status)) {
  if (!process_progress().busy()) [[likely]]
    return host_completion().test_any(count, requests, index, flag, status);
  return test_any(count, requests, index, flag, status);
}

TUTTI_MPI(Waitsome,
          (int count, MPI_Request requests[], int* completed, int* indices, MPI_Status* statuses)) {
  if (!process_progress().busy()) [[likely]]
    return host_completion().wait_some(count, requests, completed, indices, statuses);
  return wait_some(count, requests, completed, indices, statuses);
}

TUTTI_MPI(Testsome,
          (int count, MPI_Request requests[], int* completed, int* indices, MPI_Status* statuses)) {
  if (!process_progress().busy()) [[likely]]
    return host_completion().test_some(count, requests, completed, indices, statuses);
  return test_some(count, requests, completed, indices, statuses);
}

// Neither frees nor completes: an error waits for the call that does.
TUTTI_MPI(Request_get_status, (MPI_Request request, int* flag, MPI_Status* status)) {
  if (process_progress().busy()) attend();
  return host_completion().get_status(request, flag, status);
}

}  // namespace tutti
