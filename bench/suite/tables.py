"""Plain-text tables."""


def number(value):
    if value is None:
        return "–"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def times(value):
    return "–" if value is None else number(value) + "x"


def seconds(value):
    if value is None:
        return "–"
    for unit, scale in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 1:
            return f"{number(value * scale)} {unit}"
    return f"{value * 1e9:.0f} ns"


def size(value):
    if value is None:
        return "–"
    for unit, scale in (("MB", 1e6), ("kB", 1e3)):
        if abs(value) >= scale:
            return f"{number(value / scale)} {unit}"
    return f"{value:.0f} B"


def table(title, head, rows, left=1):
    """The text of a table; the first `left` columns are left-aligned."""
    cells = [[str(cell) for cell in row] for row in [head, *rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(head))]

    def line(row):
        return "  " + "  ".join(cell.ljust(width) if i < left else cell.rjust(width)
                                for i, (cell, width) in enumerate(zip(row, widths))).rstrip()

    rule = "  " + "  ".join("-" * width for width in widths)
    return "\n".join([title, line(cells[0]), rule, *map(line, cells[1:])]) + "\n"


def rate_cell(case, name, op, of="best"):
    """MB/s of the best or median repetition, or why there is none."""
    if case is None or name not in case.outcomes:
        return "–"
    outcome = case.outcomes[name]
    if outcome.problem.get(op):
        return outcome.problem[op]
    return number(case.rate(name, op, of))
