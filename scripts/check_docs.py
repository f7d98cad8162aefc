#!/usr/bin/env python3
"""Checks that pages and code name the same things: the hints, the error kinds, the links between pages."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def first_column(page):
    """The names in backquotes that start the rows of a page's tables."""
    return set(re.findall(r"^\| `([\w-]+)`", text_of(page), re.MULTILINE))


def compare(page, shown, known, what):
    yield from (f"{page}: {what} {name} is not described" for name in sorted(known - shown))
    yield from (f"{page}: {name} is described, but is no {what}" for name in sorted(shown - known))


def values_that_differ(rows):
    """A hint whose code accepts "a, b or c" has the same words in the page's second column."""
    page = "docs/hints.md"
    for key, accepts in re.findall(r'"(\w+)",\s*"([\w-]+(?:, [\w-]+)* or [\w-]+)"', rows):
        shown = re.search(rf"^\| `{key}` \| ([^|]+) \|", text_of(page), re.MULTILINE)
        known = re.split(r", | or ", accepts)
        if shown and sorted(shown.group(1).split(", ")) != sorted(known):
            yield f"{page}: {key} accepts {', '.join(known)}"


def problems():
    rows = text_of("src/request/hints.cpp").split("hint_rows()", 1)[1].split("return kRows", 1)[0]
    keys = set(re.findall(r'[{(]"(\w+)"', rows))
    yield from compare("docs/hints.md", first_column("docs/hints.md") - {"tutti_version"}, keys, "hint")
    yield from values_that_differ(rows)
    enum = re.search(r"enum class ErrorKind \{(.*?)\}", text_of("src/base/result.hpp"), re.DOTALL)
    kinds = set(re.findall(r"(\w+),", enum.group(1)))
    yield from compare("docs/errors.md", first_column("docs/errors.md"), kinds, "kind of error")
    shown = set(re.findall(r"^\| `(\w+)` \| `(MPI_ERR_\w+)` \|", text_of("docs/errors.md"), re.MULTILINE))
    mapped = set(re.findall(r"case ErrorKind::(\w+):\s*return (MPI_ERR_\w+);", text_of("src/api/mpi_error.cpp")))
    yield from (f"docs/errors.md and src/api/mpi_error.cpp differ on {kind}" for kind, _ in sorted(shown ^ mapped))
    pages = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("*.md"))
    for page in pages:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                yield f"{page.relative_to(ROOT)}: the link {target} leads nowhere"


def main():
    found = list(problems())
    for problem in found:
        print(problem)
    print(f"docs check: {len(found)} problem(s)")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
