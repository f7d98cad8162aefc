"""Blocking and file-level methods of mpi4py's File. Usage: mpi4py_blocking.py FILE"""

import sys

from mpi4py import MPI

from mpi4py_file import RANK, RANKS, WORLD, finish, meet, raises, room, same, values

INT = MPI.INT
PER_RANK = 100


def explicit_offsets(file):
    file.Set_view(0, INT, INT)
    mine = values(RANK * PER_RANK, PER_RANK)
    status = MPI.Status()
    file.Write_at(RANK * PER_RANK, mine, status)
    same(status.Get_count(INT), PER_RANK, "count of Write_at")
    meet(file)
    other = (RANK + 1) % RANKS
    got = room(PER_RANK)
    file.Read_at(other * PER_RANK, got, status)
    same(got, values(other * PER_RANK, PER_RANK), "Read_at")
    same(status.Get_count(INT), PER_RANK, "count of Read_at")
    base = RANKS * PER_RANK
    file.Write_at_all(base + RANK * PER_RANK, values(base + RANK * PER_RANK, PER_RANK))
    got = room(PER_RANK)
    meet(file)
    file.Read_at_all(base + other * PER_RANK, got)
    same(got, values(base + other * PER_RANK, PER_RANK), "Read_at_all")
    return 2 * base


def individual_pointers(file, first):
    """Columns of a table through a view, with each rank's own pointer."""
    column = INT.Create_vector(1, 1, 1).Create_resized(0, RANKS * INT.Get_size())
    column.Commit()
    file.Set_view((first + RANK) * INT.Get_size(), INT, column, "native", MPI.INFO_NULL)
    displacement, etype, filetype, name = file.Get_view()
    same((displacement, name), ((first + RANK) * INT.Get_size(), "native"), "Get_view")
    same(filetype.Get_extent(), column.Get_extent(), "filetype of Get_view")
    if not filetype.is_predefined:
        filetype.Free()
    if not etype.is_predefined:
        etype.Free()
    same(file.Get_byte_offset(3), (first + RANK + 3 * RANKS) * INT.Get_size(), "Get_byte_offset")
    file.Write(values(first + RANK, 40, RANKS))
    same(file.Get_position(), 40, "Get_position")
    file.Write_all(values(first + RANK + 40 * RANKS, 60, RANKS))
    meet(file)
    file.Seek(-60, MPI.SEEK_CUR)
    got = room(60)
    file.Read(got)
    same(got, values(first + RANK + 40 * RANKS, 60, RANKS), "Read")
    file.Seek(0, MPI.SEEK_SET)
    got = room(100)
    file.Read_all(got)
    same(got, values(first + RANK, 100, RANKS), "Read_all")
    column.Free()
    file.Set_view(0, INT, INT)
    return first + 100 * RANKS


def split_collectives(file, first):
    mine = values(first + RANK * PER_RANK, PER_RANK)
    status = MPI.Status()
    file.Write_at_all_begin(first + RANK * PER_RANK, mine)
    file.Write_at_all_end(mine, status)
    same(status.Get_count(INT), PER_RANK, "count of Write_at_all_end")
    meet(file)
    got = room(PER_RANK)
    file.Read_at_all_begin(first + RANK * PER_RANK, got)
    file.Read_at_all_end(got)
    same(got, mine, "Read_at_all_end")
    first += RANKS * PER_RANK
    mine = values(first + RANK * PER_RANK, PER_RANK)
    file.Seek(first + RANK * PER_RANK)
    file.Write_all_begin(mine)
    file.Write_all_end(mine)
    meet(file)
    file.Seek(first + RANK * PER_RANK)
    got = room(PER_RANK)
    file.Read_all_begin(got)
    file.Read_all_end(got)
    same(got, mine, "Read_all_end")
    return first + RANKS * PER_RANK


def sizes_and_modes(file, ints):
    same(file.Get_size(), ints * INT.Get_size(), "Get_size")
    same(file.size, file.Get_size(), "size")
    WORLD.Barrier()
    file.Set_size((ints + 1000) * INT.Get_size())
    same(file.Get_size(), (ints + 1000) * INT.Get_size(), "Get_size after Set_size")
    WORLD.Barrier()
    file.Set_size(ints * INT.Get_size())
    file.Preallocate(ints * INT.Get_size() // 2)
    same(file.Get_size(), ints * INT.Get_size(), "Get_size after Preallocate")
    same(file.Get_amode(), MPI.MODE_CREATE | MPI.MODE_RDWR, "Get_amode")
    same(file.amode, file.Get_amode(), "amode")
    group = file.Get_group()
    same(group.Get_size(), RANKS, "Get_group")
    group.Free()
    group = file.group
    group.Free()
    same(file.Get_type_extent(INT), INT.Get_size(), "Get_type_extent")
    same(file.Get_atomicity(), False, "Get_atomicity")
    file.Set_atomicity(True)
    same(file.atomicity, True, "atomicity")
    file.Write_at(RANK * PER_RANK, values(RANK * PER_RANK, PER_RANK))
    file.atomicity = False
    same(file.Get_atomicity(), False, "Get_atomicity after its end")


def infos(file):
    info = MPI.Info.Create()
    info.Set("cb_buffer_size", "1048576")
    file.Set_info(info)
    info.Free()
    info = file.Get_info()
    if info.Get("tutti_version") is not None:  # OMPIO forgets hints
        same(info.Get("cb_buffer_size"), "1048576", "Get_info")
    info.Free()
    info = file.info
    same(isinstance(info, MPI.Info), True, "info")
    file.info = info
    info.Free()


def error_handlers(file):
    handler = file.Get_errhandler()
    same(handler == MPI.ERRORS_RETURN, True, "Get_errhandler")
    handler.Free()
    file.Set_errhandler(MPI.ERRORS_RETURN)
    raises((MPI.ERR_ARG, MPI.ERR_OTHER), file.Seek, -5)  # OMPIO: other
    file.Call_errhandler(MPI.ERR_IO)


def handles(file):
    same(MPI.File.f2py(file.py2f()) == file, True, "f2py(py2f)")
    same(file == MPI.FILE_NULL, False, "a file is not the null one")
    same(bool(file), True, "a file is true")


def main(name):
    file = MPI.File.Open(WORLD, name, MPI.MODE_CREATE | MPI.MODE_RDWR)
    ints = explicit_offsets(file)
    ints = individual_pointers(file, ints)
    ints = split_collectives(file, ints)
    meet(file)
    sizes_and_modes(file, ints)
    infos(file)
    error_handlers(file)
    handles(file)
    file.Close()
    same(file == MPI.FILE_NULL, True, "a closed file is the null one")

    scratch = name + ".scratch"
    file = MPI.File.Open(WORLD, scratch, MPI.MODE_CREATE | MPI.MODE_WRONLY | MPI.MODE_DELETE_ON_CLOSE)
    file.Close()
    file = MPI.File.Open(MPI.COMM_SELF, f"{scratch}.{RANK}", MPI.MODE_CREATE | MPI.MODE_WRONLY)
    file.Write(values(0, 10))
    file.Close()
    MPI.File.Delete(f"{scratch}.{RANK}")
    raises((MPI.ERR_NO_SUCH_FILE,), MPI.File.Delete, f"{scratch}.{RANK}")
    raises((MPI.ERR_NO_SUCH_FILE,), MPI.File.Open, MPI.COMM_SELF, f"{scratch}.{RANK}", MPI.MODE_RDONLY)
    finish("mpi4py_blocking")


if __name__ == "__main__":
    main(sys.argv[1])
