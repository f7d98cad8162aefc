#!/usr/bin/env python3
"""Prints the MPI-IO functions (MPI_File_*, MPI_Register_datarep*) that an MPI's headers declare.

Usage: list_mpi_io_functions.py MPICC [MPICC...]   one name per line, sorted, the union of all
"""

import re
import subprocess
import sys

DECLARED = re.compile(r"\b(MPI_File_\w+|MPI_Register_datarep\w*)\s*\(")


def declared_functions(mpicc, pattern=DECLARED):
    """The names that `mpi.h` of this compiler wrapper declares and that match the pattern."""
    done = subprocess.run([mpicc, "-E", "-P", "-x", "c", "-"], input="#include <mpi.h>\n", text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"list_mpi_io_functions: {mpicc} cannot preprocess mpi.h:\n{done.stderr}")
    return set(pattern.findall(done.stdout))


def main(compilers):
    if not compilers:
        sys.exit(__doc__)
    names = set()
    for mpicc in compilers:
        names |= declared_functions(mpicc)
    print("\n".join(sorted(names)))


if __name__ == "__main__":
    main(sys.argv[1:])
