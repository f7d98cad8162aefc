"""Nonblocking and split collectives, waited for at once, beside the blocking call and beside the hosts'."""

from .contest import AUTO, OMPIO, OPS, ROMIO, SPLIT, STARTED, at_level
from .tables import rate_cell, table, times

RANKS = 4
BLOCKS = (1, 4, 16, 128)  # words of 4 bytes
FLAVOURS = {"nonblocking": STARTED, "split": SPLIT}
HOSTS = {"romio": ROMIO, "ompio": OMPIO}


def run(bench):
    """data["nonblocking"]: {host: {case: Case}}."""
    cases = [f"cyclic:{block}" for block in BLOCKS]
    # Each ratio is of two medians of calls that take some milliseconds: more of them than elsewhere.
    repetitions = bench.repetitions if bench.quick else max(15, bench.repetitions)
    options = ["--bytes", str(bench.size), "--repetitions", str(repetitions),
               "--budget", "2" if bench.quick else "5"]
    found = {}
    for host in bench.launcher.hosts():
        everybody = [AUTO] + [at_level(who, level) for who in (AUTO, HOSTS[host]) for level in FLAVOURS.values()
                              if not crashes(bench, who, level)]
        found[host] = bench.launcher.run("access", RANKS, host, everybody, cases, options)
    bench.data["nonblocking"] = found
    for op in OPS:
        bench.say(rates(found, op))


def crashes(bench, who, level):
    """Open MPI's copy of ROMIO jumps to a null pointer in its nonblocking collectives."""
    return bench.launcher.mpi == "openmpi" and who is ROMIO and level == STARTED


def rates(found, op):
    head = ["bytes", "flavour", "Tutti blocking", "Tutti", "time/blocking"]
    for host in found:
        head += [HOSTS[host].name, "Tutti/it"]
    rows = []
    for block in BLOCKS:
        for flavour, level in FLAVOURS.items():
            mine = at_level(AUTO, level).name
            first = next(iter(found.values()))[f"cyclic:{block}"]
            row = [str(4 * block), flavour, rate_cell(first, AUTO.name, op), rate_cell(first, mine, op),
                   times(slowdown(first, level, op))]
            for host, cases in found.items():
                peer = at_level(HOSTS[host], level).name
                case = cases[f"cyclic:{block}"]
                row += [rate_cell(case, peer, op), times(case.ratio(mine, peer, op, "median"))]
            rows.append(row)
    return table(f"Nonblocking and split collective {op}, block-cyclic, {RANKS} ranks, waited for at once: MB/s of the "
                 "best repetition; ratios of medians", head, rows, left=2)


def slowdown(case, level, op):
    """Time beside the blocking call's."""
    return case.ratio(AUTO.name, at_level(AUTO, level).name, op, "median")
