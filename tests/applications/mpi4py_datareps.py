"""Data representations by mpi4py: native, external32 and one of the program's own. Usage: mpi4py_datareps.py FILE

The file holds native bytes in the end. Open MPI's own MPI-IO knows no other representation, so the others are looked
at in scratch files where Tutti serves.
"""

import os
import struct
import sys

from mpi4py import MPI

from mpi4py_file import RANK, RANKS, WORLD, finish, meet, raises, room, same, values

INT = MPI.INT
COUNT = 100
INVERTED = "inverted ints"


def inverted(source, target, count, source_first, target_first):
    """Every int with all its bits turned over."""
    size = INT.Get_size()
    for i in range(count):
        at, to = (source_first + i) * size, (target_first + i) * size
        target[to:to + size] = bytes(255 - byte for byte in bytes(source[at:at + size]))


def register():
    calls = {"read": 0, "write": 0, "extent": 0}

    def read(userbuf, datatype, count, filebuf, position):
        calls["read"] += 1
        inverted(filebuf, userbuf, count, 0, position)

    def write(userbuf, datatype, count, filebuf, position):
        calls["write"] += 1
        inverted(userbuf, filebuf, count, position, 0)

    def extent(datatype):
        calls["extent"] += 1
        return datatype.Get_size()

    MPI.Register_datarep(INVERTED, read, write, extent)
    return calls


def round_trip(name, datarep, as_stored):
    """Written and read in every flavour; `as_stored` makes the bytes that the file must hold."""
    file = MPI.File.Open(WORLD, name, MPI.MODE_CREATE | MPI.MODE_RDWR | MPI.MODE_DELETE_ON_CLOSE)
    file.Set_view(0, INT, INT, datarep)
    same(file.Get_view()[3], datarep, "representation of Get_view")
    mine = values(RANK * COUNT, COUNT)
    file.Write_at(RANK * COUNT, mine[:10])
    file.Iwrite_at(RANK * COUNT + 10, mine[10:20]).Wait()
    file.Write_at_all(RANK * COUNT + 20, mine[20:30])
    file.Iwrite_at_all(RANK * COUNT + 30, mine[30:]).Wait()
    meet(file)
    with open(name, "rb") as plain:
        same(plain.read(), as_stored(values(0, RANKS * COUNT)), f"bytes of {datarep}")
    other = (RANK + 1) % RANKS * COUNT
    for read in (file.Read_at, file.Read_at_all):
        got = room(COUNT)
        read(other, got)
        same(got, values(other, COUNT), f"{datarep} by {read}")
    for read in (file.Iread_at, file.Iread_at_all):
        got = room(COUNT)
        read(other, got).Wait()
        same(got, values(other, COUNT), f"{datarep} by {read}")
    WORLD.Barrier()
    file.Close()


def main(name):
    round_trip(name + ".native", "native", lambda ints: ints.tobytes())
    file = MPI.File.Open(WORLD, name, MPI.MODE_CREATE | MPI.MODE_RDWR)
    info = file.Get_info()
    served = info.Get("tutti_version") is not None
    info.Free()
    file.Set_view(0, INT, INT, "native")
    file.Write_at_all(RANK * COUNT, values(RANK * COUNT, COUNT))
    file.Close()
    if served:
        round_trip(name + ".external32", "external32", lambda ints: struct.pack(f">{len(ints)}i", *ints))
        calls = register()
        round_trip(name + ".own", INVERTED, lambda ints: bytes(255 - byte for byte in ints.tobytes()))
        same(min(calls.values()) > 0, True, f"all functions are called ({calls})")
        raises((MPI.ERR_DUP_DATAREP,), MPI.Register_datarep, INVERTED, None, None, lambda datatype: 4)
    WORLD.Barrier()
    same([entry for entry in os.listdir(os.path.dirname(name)) if entry.startswith(os.path.basename(name) + ".")], [],
         "files left behind")
    finish("mpi4py_datareps")


if __name__ == "__main__":
    main(sys.argv[1])
