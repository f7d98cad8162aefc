"""Other accesses than the matrix: access levels, irregular pieces, buffers with gaps, a lattice, and
independent calls."""

from .contest import AUTO, BLOCK, HAND_WRITTEN, OMPIO, OPS, ROMIO, at_level, tuned_romio, with_memory
from .tables import number, rate_cell, table, times

LEVELS = ("0 many independent, contiguous", "1 many collective, contiguous", "2 one independent, noncontiguous",
          "3 one collective, noncontiguous")
MIB = 1 << 20


def peers(ranks):
    return [("romio", ROMIO.name), ("romio", tuned_romio(ranks).name), ("ompio", OMPIO.name)]


def levels(bench):
    """The same distributed 2-D array, written and read in four ways; every file is checked."""
    found = {}
    for ranks in bench.ranks(*((4,) if bench.quick else (4, 16))):
        options = ["--bytes", str(bench.size), "--repetitions", str(bench.repetitions), "--budget", "3"]
        found[ranks] = {}
        for host, theirs in bench.hosts(ranks).items():
            contestants = [BLOCK] + [at_level(c, level) for c in [AUTO, *theirs] for level in range(4)]
            found[ranks][host] = bench.launcher.run("access", ranks, host, contestants, ["array2d"], options)
        for op in OPS:
            rows = []
            for level, title in enumerate(LEVELS):
                rows.append([title, rate_cell(found[ranks]["romio"]["array2d"], f"{AUTO.name} {level}", op)] +
                            [rate_cell(found[ranks].get(host, {}).get("array2d"), f"{name} {level}", op)
                             for host, name in peers(ranks)])
            bench.say(table(f"Access levels, {op}, 2-D array on {ranks} ranks: MB/s",
                            ["level", "Tutti auto", *(name for _, name in peers(ranks))], rows))
    bench.data["levels"] = found


def side_by_side(bench, key, title, ranks, mine, cases, size, labels=None):
    """Runs cases beside the hosts, prints one table per direction, keeps data[key][ranks]."""
    found = bench.beside_hosts(ranks, mine, cases, size)
    for op in OPS:
        rows = []
        for case in cases:
            here = found["romio"][case]
            row = [(labels or {}).get(case, case)]
            row += [rate_cell(here, contestant.name, op) for contestant in mine]
            row += [rate_cell(found.get(host, {}).get(case), name, op) for host, name in peers(ranks)]
            rows.append(row)
        bench.say(table(f"{title}, {op}, {ranks} ranks: MB/s",
                        ["", *(c.name for c in mine), *(name for _, name in peers(ranks))], rows))
    bench.data.setdefault(key, {})[ranks] = found
    return found


def irregular(bench):
    """One million 8-byte pieces per rank at random places, ascending, disjoint."""
    pieces = 100_000 if bench.quick else 1_000_000
    labels = {"irregular:dense": "no holes", "irregular:half": "half holes"}
    for ranks in bench.ranks(4):
        side_by_side(bench, "irregular", f"{pieces} random 8-byte pieces per rank", ranks, [BLOCK, AUTO],
                     list(labels), 8 * pieces * ranks, labels)


def gaps(bench):
    """Columns of many small arrays, one array behind the other; 16-byte gaps in memory or none."""
    found = {}
    for ranks in bench.ranks(*((4,) if bench.quick else (4, 16))):
        options = ["--bytes", str(min(bench.size, 32 * MIB)), "--repetitions", str(bench.repetitions), "--budget", "5"]
        found[ranks] = {}
        for host, theirs in bench.hosts(ranks).items():
            theirs = theirs[-1:]  # ROMIO tuned, or OMPIO
            contestants = [BLOCK] + [with_memory(c, memory) for c in [AUTO, *theirs] for memory in range(3)]
            found[ranks][host] = bench.launcher.run("access", ranks, host, contestants, ["appended"], options)
        for op in OPS:
            rows = []
            for host, name in (("romio", AUTO.name), ("romio", tuned_romio(ranks).name), ("ompio", OMPIO.name)):
                case = found[ranks].get(host, {}).get("appended")
                rows.append([name] + [rate_cell(case, f"{name} {memory}", op) for memory in range(3)] +
                            [times(gap_cost(found[ranks], host, name, memory, op)) for memory in (1, 2)])
            bench.say(table(f"Appended subarrays, 16-byte pieces, buffer with 16-byte gaps, {op}, {ranks} ranks: MB/s, "
                            "and time against the contiguous buffer",
                            ["", "contiguous", "one gap", "gap behind each array", "one gap costs", "gaps cost"], rows))
    bench.data["gaps"] = found


def gap_cost(by_host, host, name, memory, op):
    """Time with gaps over time without; best repetitions, measured in turn."""
    case = by_host.get(host, {}).get("appended")
    return case.ratio(f"{name} 0", f"{name} {memory}", op) if case else None


def lattice(bench):
    """A 4-D block-decomposed array beside what users write by hand instead."""
    for ranks in bench.ranks(*((4,) if bench.quick else (4, 16))):
        side_by_side(bench, "lattice", "4-D lattice of 192-byte sites", ranks, [BLOCK, HAND_WRITTEN, AUTO], ["lattice"],
                     bench.size)


def independent(bench):
    """64-byte pieces with 64-byte holes, one independent call per rank."""
    pieces = 100_000 if bench.quick else 1_000_000
    found = {}
    for ranks in bench.ranks(1, 4):
        mine = [at_level(AUTO, 2)]
        options = ["--bytes", str(64 * pieces * ranks), "--repetitions", str(bench.repetitions), "--budget", "5"]
        found[ranks] = {}
        for host, theirs in bench.hosts(ranks, tuned=False).items():
            contestants = [BLOCK] + mine + [at_level(c, 2) for c in theirs]
            found[ranks][host] = bench.launcher.run("access", ranks, host, contestants, ["strided"], options)
        rows = []
        for op in OPS:
            row = [op] + [rate_cell(found[ranks]["romio"]["strided"], name, op)
                          for name in (BLOCK.name, mine[0].name, f"{ROMIO.name} 2")]
            row.append(rate_cell(found[ranks].get("ompio", {}).get("strided"), f"{OMPIO.name} 2", op))
            row.append(number(independent_ratio(found[ranks], op)))
            rows.append(row)
        bench.say(table(f"Independent calls, {pieces} pieces of 64 bytes, half dense, {ranks} ranks: MB/s",
                        ["", "Block I/O", "Tutti", "ROMIO", "OMPIO", "Tutti / better peer"], rows))
    bench.data["independent"] = found


def independent_ratio(by_host, op):
    ratios = [case["strided"].ratio(f"{AUTO.name} 2", f"{name} 2", op, "median")
              for case, name in ((by_host.get("romio"), ROMIO.name), (by_host.get("ompio"), OMPIO.name)) if case]
    ratios = [ratio for ratio in ratios if ratio]
    return min(ratios) if ratios else None
