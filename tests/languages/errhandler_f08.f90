! A program's own error handler for files, by way of the module mpi_f08. Usage: errhandler FILE
module seen
  use mpi_f08
  implicit none
  integer :: calls = 0, seen_code
  type(MPI_File) :: seen_file

contains

  subroutine on_error(file, code)
    type(MPI_File) :: file
    integer :: code
    calls = calls + 1
    seen_file = file
    seen_code = code
  end subroutine on_error

end module seen

program errhandler
  use mpi_f08
  use seen
  implicit none
  type(MPI_File) :: file, missing
  type(MPI_Errhandler) :: handler, other, got
  type(MPI_Info) :: info
  type(MPI_Status) :: status
  integer :: ierr, i, number(1)
  character(len=*), parameter :: flavour = 'f08'
  include 'errhandler_body.inc'

contains

  subroutine check_call(number_of_calls, expected_file, expected_class)
    integer, intent(in) :: number_of_calls, expected_class
    type(MPI_File), intent(in) :: expected_file
    call check_calls(number_of_calls, expected_class)
    call check(seen_file == expected_file, 'the file that the handler sees')
  end subroutine check_call

  include 'errhandler_checks.inc'

end program errhandler
