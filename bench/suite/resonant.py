"""The programs that resonant I/O was published with, on a striped file: times, and what each I/O node was asked for."""

from .contest import OPS, TWO_PHASE, Contestant, multi_phase
from .tables import rate_cell, table

NODES = 4
STRIPING = (("striping_unit", "65536"), ("striping_factor", str(NODES)))
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
MOST_SIDE = 512  # an array of 512^3 words takes half a GiB


def striped(contestant):
    return Contestant(contestant.name, contestant.kind, contestant.level, contestant.hints + STRIPING)


RESONANT = striped(Contestant("resonant", "tutti", hints=(("tutti_strategy", "resonant"),)))
EVERYBODY = [RESONANT, striped(TWO_PHASE), striped(multi_phase(2)), striped(Contestant("independent", "tutti", 0))]


def file_name(bench):
    """A prefix with a folder in it says all; otherwise the file is in the scratch folder."""
    return bench.storage + ("measured" if "/" in bench.storage else f"{bench.launcher.folder}/measured")


def run(bench):
    """data["resonant"]: {ranks: {case: Case}}."""
    chosen = QUICK if bench.quick else CASES
    cases = [f"{name}:{size}" for name, sizes in chosen.items() for size in sizes
             if name != "coll-perf" or size <= MOST_SIDE]
    options = ["--bytes", str(bench.size), "--repetitions", str(bench.repetitions), "--flush"]
    found = {}
    for ranks in (2, 4):
        found[ranks] = bench.launcher.run("patterns", ranks, "romio", EVERYBODY, cases, options, file=file_name(bench))
        for op in OPS:
            bench.say(rates(found[ranks], ranks, op))
            bench.say(requests(found[ranks], ranks, op))
    bench.data["resonant"] = found


def rates(cases, ranks, op):
    rows = [[name] + [rate_cell(case, who.name, op) for who in EVERYBODY] for name, case in cases.items()]
    return table(f"{op}, {ranks} ranks, stripes of 64 KiB on {NODES} I/O nodes: MB/s of the best repetition",
                 ["case"] + [who.name for who in EVERYBODY], rows)


def requests(cases, ranks, op):
    """Requests of all I/O nodes; the most processes any of them saw; how many did not begin where the last one ended."""
    rows = []
    for name, case in cases.items():
        row = [name]
        for who in EVERYBODY:
            nodes = case.outcomes[who.name].requests.get(op, []) if who.name in case.outcomes else []
            row.append(cell(nodes))
        rows.append(row)
    return table(f"{op}, {ranks} ranks, requests to I/O nodes: number, most processes at one node, backward / apart",
                 ["case"] + [who.name for who in EVERYBODY], rows)


def cell(nodes):
    if not nodes:
        return "–"
    count = sum(node["requests"] for node in nodes)
    return (f"{count} p{max(node['processes'] for node in nodes)} "
            f"{sum(node['backward'] for node in nodes)}/{sum(node['apart'] for node in nodes)}")
