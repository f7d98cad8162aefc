"""What the mpi4py programs share: a checked start and end and values by place."""

import array
import sys

from mpi4py import MPI

WORLD = MPI.COMM_WORLD
RANK = WORLD.rank
RANKS = WORLD.size


def values(first, count, step=1):
    """ints that belong to their places."""
    return array.array("i", [((first + i * step) * 2654435761 >> 7) & 0x7FFFFFFF for i in range(count)])


def room(count):
    return array.array("i", [-1] * count)


def same(got, wanted, what):
    if got != wanted:
        print(f"FAILED: rank {RANK}: {what}: {str(got)[:200]} instead of {str(wanted)[:200]}", file=sys.stderr, flush=True)
        WORLD.Abort(1)


def raises(error_classes, call, *arguments):
    try:
        call(*arguments)
    except MPI.Exception as error:
        same(error.Get_error_class() in error_classes, True, f"error class of {call}, {error},")
    else:
        same("success", "an error", f"{call}")


def meet(file):
    """What one rank wrote, another may read after this."""
    file.Sync()
    WORLD.Barrier()
    file.Sync()


def finish(program):
    WORLD.Barrier()
    if RANK == 0:
        print(f"{program}: ok", flush=True)
