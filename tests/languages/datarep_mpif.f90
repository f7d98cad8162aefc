! A program's own data representation, by way of mpif.h. Usage: datarep FILE
program datarep
  implicit none
  include 'mpif.h'
  external :: from_file, to_file, file_extent
  integer :: file, info, request, status(MPI_STATUS_SIZE)
  character(len=*), parameter :: flavour = 'mpif'
  include 'datarep_body.inc'

contains

  subroutine register_copied(code)
    integer, intent(out) :: code
    integer(kind=MPI_ADDRESS_KIND), save :: nothing
    nothing = 0
    call MPI_REGISTER_DATAREP('copied', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, file_extent, nothing, code)
  end subroutine register_copied

  include 'datarep_checks.inc'

end program datarep

  include 'datarep_functions.inc'
