"""The programs that resonant I/O was published with, on a striped file: times, and what each I/O node was asked for."""

import contextlib

from .ceph import Cluster
from .contest import OPS, TWO_PHASE, Contestant, multi_phase
from .tables import number, rate_cell, table

NODES = 4
KIB = 1024
# Sizes as published; for coll_perf the side of the array, for noncontig elements of 4 bytes.
CASES = {
    "demo": [size * KIB for size in (32, 64, 128, 256, 512, 1024)],
    "coll-perf": [64, 128, 256, 512, 1024],
    "mpi-io-test": [size * KIB for size in (16, 32, 64, 128, 256, 512, 1024)],
    "ior": [size * KIB for size in (16, 32, 64, 128, 256, 512, 1024)],
    "noncontig": [size * KIB for size in (4, 8, 16, 32, 64)],
    "hpio": [size * KIB for size in (2, 4, 8, 16, 32, 64)],
}
QUICK = {"demo": [32 * KIB, 64 * KIB], "coll-perf": [128], "mpi-io-test": [64 * KIB, 128 * KIB], "ior": [64 * KIB],
         "noncontig": [4 * KIB, 16 * KIB], "hpio": [2 * KIB, 64 * KIB]}
WORD_BYTES = 4
LARGE_ARRAY = 512 << 20  # bytes; larger ones of coll_perf only where --size asks for as much
LARGE_SEGMENT = 64 * KIB


RESONANT = Contestant("resonant", "tutti", hints=(("tutti_strategy", "resonant"),))
INDEPENDENT = Contestant("independent", "tutti", 0)
# One plan against itself: what its ratio is away from 1 is noise.
TWO_PHASE_AGAIN = Contestant("two-phase again", "tutti", hints=TWO_PHASE.hints)


def striped(contestant, unit):
    striping = (("striping_unit", str(unit)), ("striping_factor", str(NODES)))
    return Contestant(contestant.name, contestant.kind, contestant.level, contestant.hints + striping)


def contestants(bench):
    third = TWO_PHASE_AGAIN if bench.storage.startswith("ceph:") else multi_phase(2)
    return [RESONANT, TWO_PHASE, third, INDEPENDENT]


def file_name(bench):
    """A prefix with a folder in it says all; otherwise the file is in the scratch folder."""
    return bench.storage + ("measured" if "/" in bench.storage else f"{bench.launcher.folder}/measured")


def chosen_cases(bench):
    most = max(bench.size, LARGE_ARRAY)
    cases = [f"{name}:{size}" for name, sizes in (QUICK if bench.quick else CASES).items() for size in sizes
             if name in (bench.patterns or CASES) and (name != "coll-perf" or WORD_BYTES * size ** 3 <= most)]
    return [case for case in cases if has_large_segments(case)] if bench.large_segments else cases


def has_large_segments(case):
    """Whether what a rank accesses in one piece is at least a stripe (a row of coll_perf never is)."""
    name, size = case.split(":")
    return name != "coll-perf" and int(size) * (WORD_BYTES if name == "noncontig" else 1) >= LARGE_SEGMENT


@contextlib.contextmanager
def storage_of(bench):
    """The prefix of the measured file, on a cluster that exists for as long as this section where one is asked for."""
    before = bench.storage, bench.launcher.environment
    with Cluster() if bench.ceph else contextlib.nullcontext() as cluster:
        if cluster:
            bench.storage, bench.launcher.environment = "ceph:/", cluster.environment()
        try:
            yield
        finally:
            bench.storage, bench.launcher.environment = before


def run(bench):
    """data["resonant"]: {ranks: {case: Case}}."""
    options = ["--bytes", str(bench.size), "--repetitions", str(bench.repetitions), "--flush"]
    found = {}
    with storage_of(bench):
        is_ceph = bench.storage.startswith("ceph:")
        # Written bytes stay in a client's cache there, unless the call is collective.
        options += ["--sync"] if is_ceph else []
        for ranks in (2, 4):
            found[ranks] = bench.launcher.run("patterns", ranks, "romio", [striped(who, bench.stripe) for who in contestants(bench)],
                                              chosen_cases(bench), options, file=file_name(bench))
            for op in OPS:
                bench.say(rates(found[ranks], ranks, op, bench))
                if not is_ceph:
                    bench.say(requests(found[ranks], ranks, op, bench))
    bench.data["resonant"] = found


def ratio(case, op, who=RESONANT):
    """How many times as fast as two-phase, by medians."""
    return case.ratio(who.name, TWO_PHASE.name, op, "median")


def rates(cases, ranks, op, bench):
    who_runs = contestants(bench)
    noise = [TWO_PHASE_AGAIN] if TWO_PHASE_AGAIN in who_runs else []
    rows = [[name] + [rate_cell(case, who.name, op, "median") for who in who_runs]
            + [number(ratio(case, op, who)) for who in [RESONANT] + noise] for name, case in cases.items()]
    return table(f"{op}, {ranks} ranks, stripes of {bench.stripe // KIB} KiB on {NODES} I/O nodes of {bench.storage}: MB/s, medians of "
                 f"{bench.repetitions} alternating repetitions",
                 ["case"] + [who.name for who in who_runs] + ["resonant/two-phase"] + ["again/two-phase" for _ in noise], rows)


def requests(cases, ranks, op, bench):
    """Requests of all I/O nodes; the most processes any of them saw; how many did not begin where the last one ended."""
    rows = []
    for name, case in cases.items():
        row = [name]
        for who in contestants(bench):
            nodes = case.outcomes[who.name].requests.get(op, []) if who.name in case.outcomes else []
            row.append(cell(nodes))
        rows.append(row)
    return table(f"{op}, {ranks} ranks, requests to I/O nodes: number, most processes at one node, backward / apart",
                 ["case"] + [who.name for who in contestants(bench)], rows)


def cell(nodes):
    if not nodes:
        return "–"
    count = sum(node["requests"] for node in nodes)
    return (f"{count} p{max(node['processes'] for node in nodes)} "
            f"{sum(node['backward'] for node in nodes)}/{sum(node['apart'] for node in nodes)}")
