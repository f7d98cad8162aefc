"""Every method and property of mpi4py's File is used by one of the programs of this folder.

Usage: mpi4py_methods.py FOLDER
"""

import ast
import pathlib
import sys

import mpi4py

mpi4py.rc.initialize = False
from mpi4py import MPI  # noqa: E402


def is_file(node):
    """Whether the expression is MPI.File or one of its objects, which the programs call `file`."""
    return ((isinstance(node, ast.Name) and node.id == "file")
            or (isinstance(node, ast.Attribute) and ast.unparse(node) == "MPI.File"))


def used_names(text):
    """What a program uses of files: attributes of `file` and of MPI.File, and MPI.Register_datarep."""
    attributes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)]
    return ({node.attr for node in attributes if is_file(node.value)}
            | {"Register_datarep" for node in attributes if ast.unparse(node) == "MPI.Register_datarep"})


def main(folder):
    used = set()
    programs = [path for path in pathlib.Path(folder).glob("mpi4py_*.py") if path.name != pathlib.Path(__file__).name]
    for path in programs:
        used |= used_names(path.read_text(encoding="utf-8"))
    known = {name for name in dir(MPI.File) if not name.startswith("_")} | {"Register_datarep"}
    missing = sorted(known - used)
    print(f"{len(known) - len(missing)} of {len(known)} methods are used by {len(programs)} programs")
    for name in missing:
        print(f"FAILED: no program uses {name}")
    return 1 if missing or len(known) < 60 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
