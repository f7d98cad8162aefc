// The engines of nonblocking collective access, and how a test gets each of them.
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <string>

#include "mpi/owned.hpp"

namespace tutti::test {

enum class Engine { shared, threaded, polled };

inline const char* name_of(Engine engine) {
  constexpr const char* kNames[] = {"shared", "threaded", "polled"};
  return kNames[static_cast<int>(engine)];
}

// REQUIRES: MPI_THREAD_MULTIPLE, for the threaded one.
inline OwnedInfo hints_for(Engine engine) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "tutti_transport", engine == Engine::shared ? "auto" : "messages");
  MPI_Info_set(info, "tutti_nonblocking", engine == Engine::polled ? "polled" : "auto");
  MPI_Info_set(info, "romio_cb_write", "enable");  // through owners, however small
  MPI_Info_set(info, "romio_cb_read", "enable");
  return OwnedInfo(info);
}

// tutti_stat_`name` of a file; -1 where there is none.
inline int counter(MPI_File file, const std::string& name) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_File_get_info(file, &info);
  char value[MPI_MAX_INFO_VAL + 1] = "-1";
  int found = 0;
  MPI_Info_get(info, ("tutti_stat_" + name).c_str(), MPI_MAX_INFO_VAL, value, &found);
  MPI_Info_free(&info);
  return found != 0 ? std::atoi(value) : -1;
}

}  // namespace tutti::test
