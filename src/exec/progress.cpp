#include "exec/progress.hpp"

#include <mpi.h>

#include "mpi/call.hpp"

namespace tutti {

void progress() {
  if (!mpi_is_running()) return;
  int arrived = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &arrived, MPI_STATUS_IGNORE);
}

}  // namespace tutti
