#include "mpi/owned.hpp"

namespace tutti {

Result<OwnedComm> duplicate_comm(MPI_Comm comm) {
  OwnedComm copy;
  if (auto made = mpi_status(PMPI_Comm_dup(comm, copy.fill()), "MPI_Comm_dup"); !made)
    return tl::make_unexpected(made.error());
  PMPI_Comm_set_errhandler(copy.get(), MPI_ERRORS_RETURN);
  return copy;
}

Result<OwnedInfo> duplicate_info(MPI_Info info) {
  OwnedInfo copy;
  if (info == MPI_INFO_NULL) return copy;
  if (auto made = mpi_status(PMPI_Info_dup(info, copy.fill()), "MPI_Info_dup"); !made)
    return tl::make_unexpected(made.error());
  return copy;
}

}  // namespace tutti
