"""Every method and property of mpi4py's File is used by one of the programs of this folder.

Usage: mpi4py_methods.py FOLDER
"""

import ast
import pathlib
import sys

import mpi4py

mpi4py.rc.initialize = False
from mpi4py import MPI  # noqa: E402


def main(folder):
    used = set()
    programs = [path for path in pathlib.Path(folder).glob("mpi4py_*.py") if path.name != pathlib.Path(__file__).name]
    for path in programs:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        used |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    known = {name for name in dir(MPI.File) if not name.startswith("_")} | {"Register_datarep"}
    missing = sorted(known - used)
    print(f"{len(known) - len(missing)} of {len(known)} methods are used by {len(programs)} programs")
    for name in missing:
        print(f"FAILED: no program uses {name}")
    return 1 if missing or len(known) < 60 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
