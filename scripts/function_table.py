#!/usr/bin/env python3
"""The page docs/functions.md: every function that Tutti owns and the tests that exercise it.

function_table.py           checks the page: each function has a row, each test of a row calls the
                            function, no function is without a test while there is one, and none
                            that works is without a test
function_table.py --write   makes the page anew
function_table.py --self-test
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = "docs/functions.md"
SHOWN = 3  # tests per function, at most
NOT_YET = "not yet"

HEAD = """# Functions and their tests

Made by `scripts/function_table.py --write` and checked by a test. At most three tests of each function are named, those
beside the code first. `tests/languages` calls them from Fortran and C++ as well, `tests/differential` in random order.

| function | tests |
| --- | --- |
"""


def owned_functions():
    lines = (ROOT / "preload/functions.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.startswith("MPI_")]


def text_with_headers(path):
    """The text of a test and of the headers of the tests that it includes itself."""
    text = path.read_text(encoding="utf-8")
    for included in re.findall(r'^\s*#?include ["\']([^"\']+)["\']', text, re.MULTILINE):
        for header in (path.parent / included, ROOT / "tests" / included):
            if header.exists() and "tests" in header.parts:
                text += header.read_text(encoding="utf-8")
                break
    return text


# What is no code: strings, matched so that a comment does not start inside one, and comments.
C_FAMILY = r'R"(\w*)\((?s:.*?)\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*(?s:.*?)\*/'
FORTRAN = r'"[^"\n]*"|\'[^\'\n]*\'|![^\n]*'
PYTHON = r'"""(?s:.*?)"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|\#[^\n]*'
NO_CODE = {".c": C_FAMILY, ".cpp": C_FAMILY, ".f90": FORTRAN, ".py": PYTHON}


def called_functions(suffix, text):
    """The functions, in small letters, that code in the language of this suffix calls."""
    code = re.sub(NO_CODE[suffix], " ", text)
    if suffix != ".py":
        called = re.findall(r"\bP?(MPI_\w+)\s*\(", code, re.IGNORECASE)
        chosen = re.findall(r"[?:]\s*P?(MPI_\w+)\s*(?=[:);])", code)  # (alone ? f : g)(...)
        return {name.lower() for name in called + chosen}
    # mpi4py: file.Write_at is MPI_File_write_at
    return ({f"mpi_file_{name.lower()}" for name in re.findall(r"\b(?:file|File)\.([A-Z]\w+)\(", code)}
            | {f"mpi_{name.lower()}" for name in re.findall(r"\bMPI\.([A-Z]\w+)\(", code)})


def test_files():
    """Tests beside the code, then those of the whole; each with the names of the functions that it calls."""
    beside = sorted((ROOT / "src").rglob("*_mpitest.cpp"))
    whole = [path for path in sorted((ROOT / "tests").rglob("*"))
             if path.suffix in {".c", ".cpp", ".f90", ".py"} and "support" not in path.parts]
    for path in beside + whole:
        yield str(path.relative_to(ROOT)), called_functions(path.suffix, text_with_headers(path))


def unsupported():
    path = ROOT / "src/api/unsupported.cpp"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return {f"MPI_{name}" for name in re.findall(r"^TUTTI_\w+\((\w+),", text, re.MULTILINE)}


def found_tests():
    tests = list(test_files())
    return {function: [path for path, names in tests if function.lower() in names]
            for function in owned_functions()}


def page_text():
    missing = unsupported()
    rows = []
    for function, tests in found_tests().items():
        named = ", ".join(f"`{path}`" for path in tests[:SHOWN])
        rows.append(f"| `{function}` | {NOT_YET if function in missing else named} |")
    return HEAD + "\n".join(rows) + "\n"


def problems():
    """What is wrong with the page, a line each."""
    missing = unsupported()
    found = found_tests()
    page = ROOT / PAGE
    rows = dict(re.findall(r"^\| `(\w+)` \| (.*) \|$", page.read_text(encoding="utf-8") if page.exists() else "",
                           re.MULTILINE))
    for function, tests in found.items():
        if function not in rows:
            yield f"{PAGE}: {function} has no row"
        elif function in missing:
            if rows[function] != NOT_YET:
                yield f"{PAGE}: {function} does not work yet"
        elif not tests:
            yield f"{function}: no test exercises it"
        else:
            named = re.findall(r"`([^`]+)`", rows[function])
            if not named:
                yield f"{PAGE}: {function} has tests, its row names none"
            yield from (f"{PAGE}: {path} does not exercise {function}" for path in named if path not in tests)
    yield from (f"{PAGE}: {function} is not a function of Tutti" for function in rows if function not in found)


def self_test():
    """Calls are found in each language, names in comments and strings are not."""
    cases = [
        (".cpp", "EXPECT_EQ(MPI_File_read(f), PMPI_File_sync (f));", {"mpi_file_read", "mpi_file_sync"}),
        (".cpp", "(alone ? MPI_File_read : MPI_File_read_all)(f);", {"mpi_file_read", "mpi_file_read_all"}),
        (".cpp", "auto g = alone ? MPI_File_read : MPI_File_read_all;", {"mpi_file_read", "mpi_file_read_all"}),
        (".cpp", "// MPI_File_read(f)\n/* MPI_File_write(f)\n MPI_File_sync(f) */ MPI_File_close(f);",
         {"mpi_file_close"}),
        (".cpp", r"""say("\"MPI_File_read(f)", '"', 1'000'000); MPI_File_sync(f); say("// MPI_File_close(f)");""",
         {"mpi_file_sync"}),
        (".cpp", 'R"x(MPI_File_read(f) ")x"; MPI_File_sync(f); names = {MPI_File_read};', {"mpi_file_sync"}),
        (".f90", "call MPI_FILE_READ(f) ! MPI_FILE_SYNC(f)\nprint *, 'MPI_File_close(f)!'; call mpi_file_write(f)",
         {"mpi_file_read", "mpi_file_write"}),
        (".py", "file.Read(b)  # file.Sync()\nsay('file.Close()', file.Size); MPI.File.Open(c); MPI.Register_datarep(d)",
         {"mpi_file_read", "mpi_file_open", "mpi_register_datarep"}),
    ]
    wrong = [(text, called_functions(suffix, text)) for suffix, text, calls in cases
             if called_functions(suffix, text) != calls]
    for text, found in wrong:
        print(f"FAILED: {text!r}: {sorted(found)}")
    print(f"function table: {len(cases) - len(wrong)} of {len(cases)} texts are understood")
    return 1 if wrong else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    if arguments == ["--write"]:
        (ROOT / PAGE).write_text(page_text(), encoding="utf-8")
    elif arguments:
        sys.exit(__doc__)
    wrong = list(problems())
    for line in wrong:
        print(line)
    print(f"function table: {len(wrong)} problem(s)" + ("; function_table.py --write makes the page anew" if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
