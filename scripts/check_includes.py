#!/usr/bin/env python3
"""Checks that #include lines point one way: each folder includes only what MAY_INCLUDE allows it.

Usage: check_includes.py [ROOT]     fails (exit 1) and names file and line of each wrong include
       check_includes.py --self-test   shows that wrong includes are found
"""

import re
import sys
import tempfile
from pathlib import Path

# The same table is in ARCHITECTURE.md, for readers: a folder may include itself and the folders named here.
CORE = ["base", "pattern", "convert", "layout", "request", "plan", "strategy", "mpi", "view"]
MAY_INCLUDE = {
    "src/base": [],
    "src/pattern": ["base"],
    "src/convert": ["base"],
    "src/layout": ["base"],
    "src/request": ["base", "pattern", "layout"],
    "src/plan": ["base", "pattern", "layout", "request"],
    "src/strategy": ["base", "pattern", "layout", "request", "plan"],
    "src/mpi": ["base"],
    "src/view": ["base", "pattern", "convert", "request", "mpi"],
    "src/device": ["base", "layout"],
    "src/transfer": ["base", "pattern", "layout", "request", "device"],
    "src/inspect": CORE,
    "src/exec": CORE + ["device", "transfer", "inspect"],
    "src/api": CORE + ["device", "transfer", "inspect", "exec"],
    "src/cxx": CORE + ["device", "transfer", "inspect", "exec"],
    "trace": ["base", "pattern", "mpi", "view"],
    "model": ["base", "pattern", "trace"],
}
MAY_INCLUDE_MPI = {"src/mpi", "src/view", "src/inspect", "src/exec", "src/api", "src/cxx", "trace"}
CHECKED_ROOTS = ["src", "trace", "model", "sim", "tools"]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
TEST = re.compile(r"_(mpi)?test\.cpp$")  # tests may include tests/support as "support/..."
SOURCES = {".cpp", ".hpp", ".c", ".h"}


def folder_of(path, root):
    """The row of the table that a file belongs to, e.g. src/pattern/node.hpp -> src/pattern."""
    parts = path.relative_to(root).parts
    if parts[0] == "src":
        return "/".join(parts[:2]) if len(parts) > 2 else None
    return parts[0]


def problems_in(path, root):
    folder = folder_of(path, root)
    where = path.relative_to(root)
    if folder is None or (folder.startswith("src/") and folder not in MAY_INCLUDE):
        yield f"{where}: this folder is not in the include table of scripts/check_includes.py"
        return
    known = {name.split("/")[-1] for name in MAY_INCLUDE}
    allowed = MAY_INCLUDE.get(folder)
    own = folder.split("/")[-1]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, target = match.groups()
        if target in ("mpi.h", "mpio.h"):
            if folder not in MAY_INCLUDE_MPI:
                yield f"{where}:{number}: {folder} must not include <{target}>"
            continue
        if quote == "<" or allowed is None:
            continue
        if target.startswith("../") or "/../" in target:
            yield f"{where}:{number}: write \"{target}\" from the root of src, without .."
            continue
        first = target.split("/")[0] if "/" in target else own
        if first == own or (first in known and first in allowed):
            continue
        if first == "tutti" or (first == "support" and TEST.search(path.name)):
            continue
        yield f"{where}:{number}: {folder} must not include \"{target}\""


def table_problems(text, rows):
    """Differences between a page's table of folders (first column, last column) and `rows`."""
    shown = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and re.fullmatch(r"`[\w/]+`", cells[0]):
            shown[cells[0].strip("`")] = [] if cells[2] == "–" else cells[2].split()
    for folder in sorted(set(shown) | {name for name in rows if name.startswith("src/")}):
        if sorted(shown.get(folder, ["(no row)"])) != sorted(rows.get(folder, ["(no row)"])):
            yield f"ARCHITECTURE.md: {folder}: {shown.get(folder)}, the include check has {rows.get(folder)}"


def check(root):
    found = []
    for top in CHECKED_ROOTS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                found.extend(problems_in(path, root))
    return found


def self_test():
    """Each case: a file, its text, and whether a problem must be found."""
    cases = [
        ("src/pattern/a.hpp", '#include "base/result.hpp"\n#include <vector>\n', False),
        ("src/pattern/a.hpp", '#include "pattern/node.hpp"\n#include "node.hpp"\n', False),
        ("src/pattern/a.hpp", '#include "device/device.hpp"\n', True),
        ("src/pattern/a.hpp", '#  include  "view/decode.hpp"\n', True),
        ("src/pattern/a.hpp", '#include "../device/device.hpp"\n', True),
        ("src/pattern/a.cpp", "#include <mpi.h>\n", True),
        ("src/device/a.cpp", '#include "mpi.h"\n', True),
        ("src/view/a.cpp", "#include <mpi.h>\n", False),
        ("src/transfer/a.cpp", "#include <mpi.h>\n", True),
        ("src/inspect/a.cpp", '#include "device/device.hpp"\n', True),
        ("src/exec/a.cpp", '#include "device/device.hpp"\n#include "inspect/x.hpp"\n', False),
        ("src/exec/a.cpp", '#include "api/file.hpp"\n', True),
        ("src/api/a.cpp", '#include "exec/x.hpp"\n#include <mpi.h>\n', False),
        ("src/cxx/a.cpp", '#include "exec/x.hpp"\n#include "tutti/file.hpp"\n#include <mpi.h>\n', False),
        ("src/cxx/a.cpp", '#include "api/file.hpp"\n', True),
        ("src/pattern/a_test.cpp", '#include "support/random_pattern.hpp"\n', False),
        ("src/pattern/a.cpp", '#include "support/random_pattern.hpp"\n', True),
        ("src/helpers/a.cpp", "", True),
        ("model/a.cpp", '#include "strategy/x.hpp"\n', True),
        ("sim/a.cpp", '#include "strategy/x.hpp"\n', False),
        ("sim/a.cpp", "#include <mpi.h>\n", True),
    ]
    wrong = 0
    for name, text, expected in cases:
        with tempfile.TemporaryDirectory() as scratch:
            path = Path(scratch) / name
            path.parent.mkdir(parents=True)
            path.write_text(text, encoding="utf-8")
            found = bool(check(Path(scratch)))
        if found != expected:
            wrong += 1
            print(f"self-test: {name} with {text!r}: problem found: {found}, expected: {expected}")
    row = "| `src/base` | text | pattern device |\n"
    for rows, expected in (({"src/base": ["device", "pattern"]}, False), ({"src/base": ["device"]}, True),
                           ({}, True), ({"src/base": ["pattern", "device"], "src/x": []}, True)):
        if bool(list(table_problems(row, rows))) != expected:
            wrong += 1
            print(f"self-test: {row!r} against {rows}: expected a difference: {expected}")
    print(f"self-test: {len(cases) - wrong} of {len(cases)} cases as expected")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parent.parent
    found = check(root)
    found += table_problems((root / "ARCHITECTURE.md").read_text(encoding="utf-8"), MAY_INCLUDE)
    for problem in found:
        print(problem)
    print(f"include check: {len(found)} problem(s)" if found else "include check: all includes point one way")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
