! A program's own data representation, by way of the module mpi. Usage: datarep FILE
module functions
  implicit none

contains

  include 'datarep_functions.inc'

end module functions

program datarep
  use mpi
  use functions
  implicit none
  integer :: file, info, request, status(MPI_STATUS_SIZE)
  character(len=*), parameter :: flavour = 'mpi'
  include 'datarep_body.inc'

contains

  ! MPICH's module has no MPI_CONVERSION_FN_NULL.
  subroutine register_copied(code)
    integer, intent(out) :: code
    integer(kind=MPI_ADDRESS_KIND), save :: nothing
    nothing = 0
    call MPI_REGISTER_DATAREP('copied', from_file, to_file, file_extent, nothing, code)
  end subroutine register_copied

  include 'datarep_checks.inc'

end program datarep
