! Writes and reads back a file through a view with holes, by way of mpif.h. Usage: roundtrip FILE
program roundtrip
  implicit none
  include 'mpif.h'
  integer, parameter :: blocks = 1000, block_ints = 3, ints = blocks * block_ints
  integer :: rank, ranks, ierr, file, filetype, info, i, count, class
  integer :: status(MPI_STATUS_SIZE)
  integer :: written(ints), got(ints)
  integer(kind=MPI_OFFSET_KIND) :: start, bytes, offset
  character(len=512) :: path
  character(len=64) :: version
  logical :: tutti

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call get_command_argument(1, path)

  call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, file, ierr)
  call MPI_Error_class(ierr, class, i)
  call check(class == MPI_ERR_NO_SUCH_FILE, 'error class of opening a missing file')
  call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, file, ierr)
  call check(ierr == MPI_SUCCESS, 'open')

  call MPI_Type_vector(blocks, block_ints, block_ints * ranks, MPI_INTEGER, filetype, ierr)
  call MPI_Type_commit(filetype, ierr)
  start = 20 + rank * block_ints * 4
  call MPI_File_set_view(file, start, MPI_INTEGER, filetype, 'native', MPI_INFO_NULL, ierr)
  call check(ierr == MPI_SUCCESS, 'set_view')
  do i = 1, ints
    written(i) = rank * 1000000 + i
  end do
  call MPI_File_write_all(file, written, ints, MPI_INTEGER, status, ierr)
  call check(ierr == MPI_SUCCESS, 'write_all')
  call MPI_Get_count(status, MPI_INTEGER, count, ierr)
  call check(count == ints, 'count written')

  got = 0
  offset = 0
  call MPI_File_read_at_all(file, offset, got, ints, MPI_INTEGER, status, ierr)
  call check(ierr == MPI_SUCCESS, 'read_at_all')
  call check(all(got == written), 'bytes of read_at_all')
  got = 0
  offset = 6
  call MPI_File_read_at(file, offset, got, 50, MPI_INTEGER, status, ierr)
  call check(ierr == MPI_SUCCESS, 'read_at')
  call check(all(got(1:50) == written(7:56)) .and. all(got(51:) == 0), 'bytes of read_at')

  call MPI_File_get_size(file, bytes, ierr)
  call check(bytes == 20 + int(ranks, MPI_OFFSET_KIND) * ints * 4, 'get_size')
  call MPI_File_get_info(file, info, ierr)
  call MPI_Info_get(info, 'tutti_version', len(version), version, tutti, ierr)
  call MPI_Info_free(info, ierr)
  call MPI_Type_free(filetype, ierr)
  call MPI_File_close(file, ierr)
  call check(ierr == MPI_SUCCESS .and. file == MPI_FILE_NULL, 'close')
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) then
    call MPI_File_delete(path, MPI_INFO_NULL, ierr)
    call check(ierr == MPI_SUCCESS, 'delete')
    if (tutti) then
      print '(a)', 'roundtrip-mpif: ok, served by tutti'
    else
      print '(a)', 'roundtrip-mpif: ok, served by the host'
    end if
  end if
  call MPI_Finalize(ierr)

contains

  subroutine check(good, what)
    logical, intent(in) :: good
    character(len=*), intent(in) :: what
    integer :: ignored
    if (good) return
    write (0, '(a,i0,2a)') 'roundtrip-mpif: rank ', rank, ': ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine check

end program roundtrip
