#include "mpi/owned.hpp"

namespace tutti {

namespace {

// The program's communicator, which ends the job on errors unless told otherwise.
class ReturnsErrors {
 public:
  explicit ReturnsErrors(MPI_Comm comm) : comm_(comm) {
    PMPI_Comm_get_errhandler(comm_, &before_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ReturnsErrors(const ReturnsErrors&) = delete;
  ReturnsErrors& operator=(const ReturnsErrors&) = delete;
  ~ReturnsErrors() {
    PMPI_Comm_set_errhandler(comm_, before_);
    PMPI_Errhandler_free(&before_);
  }

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

}  // namespace

Result<OwnedComm> duplicate_comm(MPI_Comm comm) {
  OwnedComm copy;
  const ReturnsErrors meanwhile(comm);
  if (auto made = communicator_status(PMPI_Comm_dup(comm, copy.fill()), "MPI_Comm_dup"); !made)
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
