! Every function of files, by way of mpif.h. Usage: calls FILE
program calls
  implicit none
  include 'mpif.h'
  integer :: file, info, group, world, pair, filetype, etype, got_type, requests(5)
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 5)
  character(len=*), parameter :: flavour = 'mpif'
  include 'calls_body.inc'

contains

  subroutine take_status(k)
    integer, intent(in) :: k
    status = statuses(:, k)
  end subroutine take_status

  include 'calls_files.inc'
  include 'calls_access.inc'
  include 'calls_completion.inc'
  include 'calls_shared.inc'
  include 'calls_checks.inc'

end program calls
