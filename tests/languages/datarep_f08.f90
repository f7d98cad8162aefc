! A program's own data representation, by way of the module mpi_f08. Usage: datarep FILE
module functions
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none

contains

  subroutine from_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror
    integer(kind=MPI_OFFSET_KIND) :: position
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer, pointer :: user(:), stored(:)
    call c_f_pointer(userbuf, user, [position + count])
    call c_f_pointer(filebuf, stored, [count])
    user(position + 1:position + count) = stored - int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine from_file

  subroutine to_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror
    integer(kind=MPI_OFFSET_KIND) :: position
    integer(kind=MPI_ADDRESS_KIND) :: extra_state
    integer, pointer :: user(:), stored(:)
    call c_f_pointer(userbuf, user, [position + count])
    call c_f_pointer(filebuf, stored, [count])
    stored = user(position + 1:position + count) + int(extra_state)
    ierror = MPI_SUCCESS
  end subroutine to_file

  subroutine file_extent(datatype, extent, extra_state, ierror)
    type(MPI_Datatype) :: datatype
    integer(kind=MPI_ADDRESS_KIND) :: extent, extra_state
    integer :: ierror, bytes
    call MPI_Type_size(datatype, bytes, ierror)
    extent = bytes
  end subroutine file_extent

end module functions

program datarep
  use mpi_f08
  use functions
  implicit none
  type(MPI_File) :: file
  type(MPI_Info) :: info
  type(MPI_Request) :: request
  type(MPI_Status) :: status
  character(len=*), parameter :: flavour = 'f08'
  include 'datarep_body.inc'

contains

  ! Open MPI does not recognise the MPI_CONVERSION_FN_NULL of its own module.
  subroutine register_copied(code)
    integer, intent(out) :: code
    integer(kind=MPI_ADDRESS_KIND), save :: nothing
    nothing = 0
    call MPI_REGISTER_DATAREP('copied', from_file, to_file, file_extent, nothing, code)
  end subroutine register_copied

  include 'datarep_checks.inc'

end program datarep
