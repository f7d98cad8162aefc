// The host MPI's own functions that complete requests, whose names Tutti exports itself. Tutti's
// own messages are completed through these.
#pragma once

#include <mpi.h>

namespace tutti {

struct HostCompletion {
  decltype(&PMPI_Wait) wait;
  decltype(&PMPI_Test) test;
  decltype(&PMPI_Waitall) wait_all;
  decltype(&PMPI_Testall) test_all;
  decltype(&PMPI_Waitany) wait_any;
  decltype(&PMPI_Testany) test_any;
  decltype(&PMPI_Waitsome) wait_some;
  decltype(&PMPI_Testsome) test_some;
  decltype(&PMPI_Request_get_status) get_status;
};

// Local. Looked up once.
const HostCompletion& host_completion();

}  // namespace tutti
