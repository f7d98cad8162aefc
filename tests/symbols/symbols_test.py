"""Compares the functions that each mpi.h declares with the function list and with what libraries export.

  symbols_test.py list FUNCTIONS MPICC...            the checked-in list covers the headers, no more
  symbols_test.py exports LIBRARY FUNCTIONS [MPICC INTERFACE]
                                                      MPI_X weak and PMPI_X strong: all that MPICC's mpi.h
                                                      declares, or the whole list; the C++ functions that
                                                      INTERFACE lists; nothing else
  symbols_test.py needs LIBRARY PREFIX...             depends on libc and the named libraries only
"""

import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from list_mpi_io_functions import declared_functions  # noqa: E402

ANY_MPI_FUNCTION = re.compile(r"\b(MPI_[A-Z]\w+)\s*\(")
C_LIBRARY = ("libc.so", "libm.so", "libdl.so", "libpthread.so", "ld-linux-")


def read_list(path):
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    names = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    doubles = {name for name in names if names.count(name) > 1}
    return set(names), [f"{name} is in the list twice" for name in sorted(doubles)]


def inner(names):
    """Functions of one host that have no PMPI_ form and that no header declares."""
    return {name for name in names if not name.startswith("MPI_")}


def output_of(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout


def check_list(functions, *compilers):
    listed, problems = read_list(functions)
    listed -= inner(listed)
    declared, io_declared = set(), set()
    for mpicc in compilers:
        io_functions = declared_functions(mpicc)
        if len(io_functions) < 60:
            problems.append(f"{mpicc}: only {len(io_functions)} MPI-IO functions found in mpi.h")
        problems += [f"{name} is declared by {mpicc} and not listed" for name in sorted(io_functions - listed)]
        io_declared |= io_functions
        declared |= declared_functions(mpicc, ANY_MPI_FUNCTION)
    if len(compilers) > 1:
        problems += [f"{name} is listed and no mpi.h declares it" for name in sorted(listed - declared)]
    print(f"{len(listed)} functions listed, {len(io_declared)} MPI-IO functions declared by {len(compilers)} MPI(s)")
    return problems


def exported_symbols(library):
    """C names and demangled C++ functions, each with nm's letter for its kind.

    An MPI_Comm is an int in MPICH and a pointer in Open MPI; as a first parameter it gets its name back.
    """
    exported = {}
    for line in output_of("nm", "-D", "--defined-only", "--demangle", library).splitlines():
        kind, name = line.split(maxsplit=2)[1:]
        exported[re.sub(r"\((int|ompi_communicator_t\*), ", "(MPI_Comm, ", name)] = kind
    return exported


def check_exports(library, functions, mpicc=None, interface=None):
    listed, problems = read_list(functions)
    alone = inner(listed)
    listed -= alone
    required = declared_functions(mpicc) if mpicc else listed
    exported = exported_symbols(library)
    if not mpicc:
        problems += [f"{name} is not exported" for name in sorted(alone) if exported.get(name) != "T"]
    public, doubles = read_list(interface) if interface else (set(), [])
    problems += doubles
    for name in sorted(public):
        if exported.get(name) != "T":
            problems.append(f"{name} is of kind {exported.get(name)}, it must be exported and strong (T)")
    for name in sorted(required):
        for symbol, kind, word in ((name, "W", "weak"), ("P" + name, "T", "strong")):
            if symbol not in exported:
                problems.append(f"{symbol} is not exported")
            elif exported[symbol] != kind:
                problems.append(f"{symbol} is of kind {exported[symbol]}, it must be {word} ({kind})")
    allowed = listed | {"P" + name for name in listed} | alone | public
    problems += [f"{name} is exported and not in the list" for name in sorted(set(exported) - allowed)]
    print(f"{Path(library).name}: {len(exported)} symbols, {2 * len(required) + len(public)} required")
    return problems


def check_needs(library, *prefixes):
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", output_of("readelf", "-d", library))
    print(f"{Path(library).name} needs {', '.join(needed)}")
    return [f"{name} is needed and not allowed" for name in needed if not name.startswith(C_LIBRARY + prefixes)]


def main(arguments):
    checks = {"list": check_list, "exports": check_exports, "needs": check_needs}
    if len(arguments) < 2 or arguments[0] not in checks:
        sys.exit(__doc__)
    problems = checks[arguments[0]](*arguments[1:])
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
