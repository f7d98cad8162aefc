"""Nonblocking methods of mpi4py's File. Usage: mpi4py_nonblocking.py FILE"""

import sys

from mpi4py import MPI

from mpi4py_file import RANK, RANKS, WORLD, finish, meet, room, same, values

INT = MPI.INT
COUNT = 50
REQUESTS = 8


def explicit_offsets(file):
    """Several requests at once, waited for together."""
    base = RANK * REQUESTS * COUNT
    buffers = [values(base + i * COUNT, COUNT) for i in range(REQUESTS)]
    MPI.Request.Waitall([file.Iwrite_at(base + i * COUNT, buffers[i]) for i in range(REQUESTS)])
    meet(file)
    base = (RANK + 1) % RANKS * REQUESTS * COUNT
    got = [room(COUNT) for _ in range(REQUESTS)]
    requests = [file.Iread_at(base + i * COUNT, got[i]) for i in range(REQUESTS)]
    while not MPI.Request.Testall(requests):
        pass
    for i in range(REQUESTS):
        same(got[i], values(base + i * COUNT, COUNT), "Iread_at")
    return RANKS * REQUESTS * COUNT


def individual_pointers(file, first):
    place = first + RANK * 2 * COUNT
    file.Seek(place)
    one, two = values(place, COUNT), values(place + COUNT, COUNT)
    requests = [file.Iwrite(one), file.Iwrite(two)]
    same(file.Get_position(), place + 2 * COUNT, "Get_position while requests are active")
    status = MPI.Status()
    requests[1].Wait(status)
    same(status.Get_count(INT), COUNT, "count of Iwrite")
    requests[0].Wait()
    meet(file)
    file.Seek(place)
    got = room(2 * COUNT)
    file.Iread(got).Wait()
    same(got, values(place, 2 * COUNT), "Iread")
    return first + RANKS * 2 * COUNT


def collectives(file, first):
    """Columns of a table, several collective accesses at once."""
    column = INT.Create_resized(0, RANKS * INT.Get_size())
    column.Commit()
    file.Set_view((first + RANK) * INT.Get_size(), INT, column)
    column.Free()
    mine = [values(first + RANK + i * COUNT * RANKS, COUNT, RANKS) for i in range(4)]
    requests = [file.Iwrite_at_all(0, mine[0]), file.Iwrite_at_all(COUNT, mine[1])]
    file.Seek(2 * COUNT)
    requests += [file.Iwrite_all(mine[2]), file.Iwrite_all(mine[3])]
    same(file.Get_position(), 4 * COUNT, "Get_position after Iwrite_all")
    statuses = [MPI.Status() for _ in requests]
    MPI.Request.Waitall(requests, statuses)
    same([status.Get_count(INT) for status in statuses], [COUNT] * 4, "counts of nonblocking collectives")
    meet(file)
    file.Seek(0)
    got = [room(COUNT) for _ in range(4)]
    requests = [file.Iread_all(got[0]), file.Iread_all(got[1]),
                file.Iread_at_all(2 * COUNT, got[2]), file.Iread_at_all(3 * COUNT, got[3])]
    for request in reversed(requests):
        while not request.Test():
            pass
    same(got, mine, "Iread_all and Iread_at_all")
    file.Set_view(0, INT, INT)
    return first + 4 * COUNT * RANKS


def main(name):
    file = MPI.File.Open(WORLD, name, MPI.MODE_CREATE | MPI.MODE_RDWR)
    file.Set_view(0, INT, INT)
    ints = explicit_offsets(file)
    ints = individual_pointers(file, ints)
    ints = collectives(file, ints)
    WORLD.Barrier()
    same(file.Get_size(), ints * INT.Get_size(), "Get_size")
    file.Close()
    finish("mpi4py_nonblocking")


if __name__ == "__main__":
    main(sys.argv[1])
