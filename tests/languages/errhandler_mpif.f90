! A program's own error handler for files, by way of mpif.h. Usage: errhandler FILE
program errhandler
  implicit none
  include 'mpif.h'
  integer :: calls, seen_file, seen_code
  common /seen/ calls, seen_file, seen_code
  external :: on_error
  integer :: ierr, file, missing, handler, other, got, i, info, number(1), status(MPI_STATUS_SIZE)
  integer(kind=MPI_OFFSET_KIND) :: offset
  character(len=512) :: path
  character(len=64) :: version
  logical :: tutti

  call MPI_INIT(ierr)
  calls = 0
  call get_command_argument(1, path)
  call MPI_FILE_CREATE_ERRHANDLER(on_error, handler, ierr)
  call check(ierr == MPI_SUCCESS, 'create')
  call MPI_FILE_OPEN(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_WRONLY + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file, ierr)
  call check(ierr == MPI_SUCCESS, 'open')
  call MPI_FILE_GET_ERRHANDLER(file, got, ierr)
  call check(got == MPI_ERRORS_RETURN, 'errors are returned at first')
  call MPI_FILE_GET_INFO(file, info, ierr)
  call MPI_INFO_GET(info, 'tutti_version', len(version), version, tutti, ierr)
  call MPI_INFO_FREE(info, ierr)

  call MPI_FILE_SET_ERRHANDLER(file, handler, ierr)
  call check(ierr == MPI_SUCCESS, 'set')
  offset = 0
  call MPI_FILE_READ_AT(file, offset, number, 1, MPI_INTEGER, status, ierr)
  call check_call(1, file, MPI_ERR_ACCESS)
  call check(class_of(ierr) == MPI_ERR_ACCESS, 'the code is returned too')
  call MPI_FILE_CALL_ERRHANDLER(file, MPI_ERR_NO_SPACE, ierr)
  call check(ierr == MPI_SUCCESS, 'call_errhandler')
  call check_call(2, file, MPI_ERR_NO_SPACE)
  call MPI_FILE_GET_ERRHANDLER(file, got, ierr)
  call check(got == handler, 'get')
  call MPI_ERRHANDLER_FREE(got, ierr)
  call MPI_ERRHANDLER_FREE(handler, ierr)
  call MPI_FILE_READ_AT(file, offset, number, 1, MPI_INTEGER, status, ierr)
  call check_call(3, file, MPI_ERR_ACCESS)
  call MPI_FILE_SET_ERRHANDLER(file, MPI_ERRORS_RETURN, ierr)
  call MPI_FILE_READ_AT(file, offset, number, 1, MPI_INTEGER, status, ierr)
  call check(calls == 3, 'no longer called')
  call MPI_FILE_CLOSE(file, ierr)
  call MPI_BARRIER(MPI_COMM_WORLD, ierr)

  call MPI_FILE_CREATE_ERRHANDLER(on_error, other, ierr)
  call MPI_FILE_SET_ERRHANDLER(MPI_FILE_NULL, other, ierr)
  call check(ierr == MPI_SUCCESS, 'set on MPI_FILE_NULL')
  call MPI_FILE_OPEN(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, missing, ierr)
  call check_call(4, MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE)
  call MPI_FILE_OPEN(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_WRONLY + MPI_MODE_DELETE_ON_CLOSE, &
                     MPI_INFO_NULL, file, ierr)
  call MPI_FILE_READ_AT(file, offset, number, 1, MPI_INTEGER, status, ierr)
  call check_call(5, file, MPI_ERR_ACCESS)
  call MPI_FILE_SET_ERRHANDLER(MPI_FILE_NULL, MPI_ERRORS_RETURN, ierr)
  call MPI_ERRHANDLER_FREE(other, ierr)
  call MPI_FILE_CLOSE(file, ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, i, ierr)
  if (i == 0) then
    if (tutti) then
      print '(a)', 'errhandler-mpif: ok, served by tutti'
    else
      print '(a)', 'errhandler-mpif: ok, served by the host'
    end if
  end if
  call MPI_FINALIZE(ierr)

contains

  integer function class_of(code)
    integer, intent(in) :: code
    integer :: ignored
    call MPI_ERROR_CLASS(code, class_of, ignored)
  end function class_of

  subroutine check_call(number_of_calls, expected_file, expected_class)
    integer, intent(in) :: number_of_calls, expected_file, expected_class
    call check(calls == number_of_calls, 'the number of calls')
    call check(seen_file == expected_file, 'the file that the handler sees')
    call check(class_of(seen_code) == expected_class, 'the code that the handler sees')
  end subroutine check_call

  subroutine check(ok, what)
    logical, intent(in) :: ok
    character(len=*), intent(in) :: what
    integer :: ignored
    if (.not. ok) then
      print '(3a,i0)', 'errhandler-mpif: ', what, ' is wrong after call ', calls
      call MPI_ABORT(MPI_COMM_WORLD, 1, ignored)
    end if
  end subroutine check

end program errhandler

subroutine on_error(file, code)
  implicit none
  integer :: file, code, calls, seen_file, seen_code
  common /seen/ calls, seen_file, seen_code
  calls = calls + 1
  seen_file = file
  seen_code = code
end subroutine on_error
