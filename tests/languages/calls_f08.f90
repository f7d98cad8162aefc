! Every function of files, by way of the module mpi_f08. Usage: calls FILE
program calls
  use mpi_f08
  implicit none
  type(MPI_File) :: file
  type(MPI_Info) :: info
  type(MPI_Group) :: group, world
  type(MPI_Datatype) :: pair, filetype, etype, got_type
  type(MPI_Request) :: requests(5)
  type(MPI_Status) :: status, statuses(5)
  character(len=*), parameter :: flavour = 'f08'
  include 'calls_body.inc'

contains

  subroutine take_status(k)
    integer, intent(in) :: k
    status = statuses(k)
  end subroutine take_status

  include 'calls_files.inc'
  include 'calls_access.inc'
  include 'calls_completion.inc'
  include 'calls_shared.inc'
  include 'calls_checks.inc'

end program calls
