// Every way in which a program completes its requests.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

namespace tutti::test {

enum class Completion {
  wait,
  test,
  waitall,
  testall,
  waitany,
  testany,
  waitsome,
  testsome,
  get_status
};

inline constexpr Completion kCompletions[] = {
    Completion::wait,     Completion::test,     Completion::waitall,
    Completion::testall,  Completion::waitany,  Completion::testany,
    Completion::waitsome, Completion::testsome, Completion::get_status};

inline const char* name_of(Completion way) {
  constexpr const char* kNames[] = {"Wait",     "Test",     "Waitall",
                                    "Testall",  "Waitany",  "Testany",
                                    "Waitsome", "Testsome", "Request_get_status"};
  return kNames[static_cast<int>(way)];
}

// What a completion said about one request.
struct Completed {
  int code = MPI_SUCCESS;
  MPI_Status status{};
};

// The code for request i of a call with many statuses.
inline int code_of(int call_code, const MPI_Status& status) {
  return call_code == MPI_ERR_IN_STATUS ? status.MPI_ERROR : call_code;
}

// Completes all requests in `way`; `order` says which goes first where the way takes one at a time.
inline std::vector<Completed> complete_all(std::vector<MPI_Request>& requests, Completion way,
                                           const std::vector<int>& order) {
  const int count = static_cast<int>(requests.size());
  std::vector<Completed> done(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  std::vector<int> indices(requests.size());
  const auto each = [&](auto&& complete) {
    for (const int i : order) {
      const auto k = static_cast<std::size_t>(i);
      done[k].code = complete(requests[k], done[k].status);
    }
  };
  const auto together = [&](int code) {
    for (std::size_t i = 0; i < done.size(); ++i)
      done[i] = {code_of(code, statuses[i]), statuses[i]};
  };
  const auto some = [&](int code, int completed) {
    for (int k = 0; k < completed; ++k) {
      const auto at = static_cast<std::size_t>(k);
      done[static_cast<std::size_t>(indices[at])] = {code_of(code, statuses[at]), statuses[at]};
    }
  };
  int flag = 0;
  int code = MPI_SUCCESS;
  int completed = 0;
  int index = 0;
  MPI_Status status;
  switch (way) {
    case Completion::wait:
      each([](MPI_Request& request, MPI_Status& s) { return MPI_Wait(&request, &s); });
      break;
    case Completion::test:
      each([&](MPI_Request& request, MPI_Status& s) {
        for (flag = 0; flag == 0;) code = MPI_Test(&request, &flag, &s);
        return code;
      });
      break;
    case Completion::get_status:
      each([&](MPI_Request& request, MPI_Status& s) {
        for (flag = 0; flag == 0;) MPI_Request_get_status(request, &flag, &s);
        return MPI_Wait(&request, &s);
      });
      break;
    case Completion::waitall:
      together(MPI_Waitall(count, requests.data(), statuses.data()));
      break;
    case Completion::testall:
      for (flag = 0; flag == 0;) code = MPI_Testall(count, requests.data(), &flag, statuses.data());
      together(code);
      break;
    case Completion::waitany:
      while (true) {
        code = MPI_Waitany(count, requests.data(), &index, &status);
        if (index == MPI_UNDEFINED) break;
        done[static_cast<std::size_t>(index)] = {code, status};
      }
      break;
    case Completion::testany:
      while (true) {
        code = MPI_Testany(count, requests.data(), &index, &flag, &status);
        if (flag == 0) continue;
        if (index == MPI_UNDEFINED) break;
        done[static_cast<std::size_t>(index)] = {code, status};
      }
      break;
    case Completion::waitsome:
    case Completion::testsome:
      while (true) {
        code =
            way == Completion::waitsome
                ? MPI_Waitsome(count, requests.data(), &completed, indices.data(), statuses.data())
                : MPI_Testsome(count, requests.data(), &completed, indices.data(), statuses.data());
        if (completed == MPI_UNDEFINED) break;
        some(code, completed);
      }
      break;
  }
  for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL) << name_of(way);
  return done;
}

}  // namespace tutti::test
