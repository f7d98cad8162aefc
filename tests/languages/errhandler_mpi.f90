! A program's own error handler for files, by way of the module mpi. Usage: errhandler FILE
module seen
  implicit none
  integer :: calls = 0, seen_file, seen_code

contains

  subroutine on_error(file, code)
    integer :: file, code
    calls = calls + 1
    seen_file = file
    seen_code = code
  end subroutine on_error

end module seen

program errhandler
  use mpi
  use seen
  implicit none
  integer :: ierr, file, missing, handler, other, got, i, info, number(1), status(MPI_STATUS_SIZE)
  character(len=*), parameter :: flavour = 'mpi'
  include 'errhandler_body.inc'

contains

  subroutine check_call(number_of_calls, expected_file, expected_class)
    integer, intent(in) :: number_of_calls, expected_class
    integer, intent(in) :: expected_file
    call check_calls(number_of_calls, expected_class)
    call check(seen_file == expected_file, 'the file that the handler sees')
  end subroutine check_call

  include 'errhandler_checks.inc'

end program errhandler
