"""Shared pointers and ordered access of mpi4py's File. Usage: mpi4py_shared.py FILE"""

import sys

from mpi4py import MPI

from mpi4py_file import RANK, RANKS, WORLD, finish, meet, room, same, values

INT = MPI.INT
COUNT = 30


def ordered(file):
    file.Write_ordered(values(RANK * COUNT, COUNT))
    first = RANKS * COUNT
    mine = values(first + RANK * COUNT, COUNT)
    file.Write_ordered_begin(mine)
    file.Write_ordered_end(mine)
    meet(file)
    same(file.Get_position_shared(), 2 * first, "Get_position_shared")
    WORLD.Barrier()
    file.Seek_shared(0, MPI.SEEK_SET)
    got = room(COUNT)
    file.Read_ordered(got)
    same(got, values(RANK * COUNT, COUNT), "Read_ordered")
    got = room(COUNT)
    file.Read_ordered_begin(got)
    file.Read_ordered_end(got)
    same(got, mine, "Read_ordered_end")
    return 2 * first


def by_turns(file, first):
    """Each rank in its turn, so that the file is the same every time."""
    WORLD.Barrier()
    file.Seek_shared(first, MPI.SEEK_SET)
    for turn in range(RANKS):
        if turn == RANK:
            file.Write_shared(values(first + RANK * COUNT, COUNT - 10))
            file.Iwrite_shared(values(first + RANK * COUNT + COUNT - 10, 10)).Wait()
        meet(file)
    same(file.Get_position_shared(), first + RANKS * COUNT, "Get_position_shared after Write_shared")
    WORLD.Barrier()
    file.Seek_shared(-RANKS * COUNT, MPI.SEEK_CUR)
    for turn in range(RANKS):
        if turn == RANK:
            got = room(COUNT - 10)
            file.Read_shared(got)
            same(got, values(first + RANK * COUNT, COUNT - 10), "Read_shared")
            got = room(10)
            file.Iread_shared(got).Wait()
            same(got, values(first + RANK * COUNT + COUNT - 10, 10), "Iread_shared")
        WORLD.Barrier()


def main(name):
    file = MPI.File.Open(WORLD, name, MPI.MODE_CREATE | MPI.MODE_RDWR)
    file.Set_view(0, INT, INT)
    by_turns(file, ordered(file))
    file.Close()
    finish("mpi4py_shared")


if __name__ == "__main__":
    main(sys.argv[1])
