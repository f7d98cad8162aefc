"""Four nodes with slow links, played by network namespaces of this machine."""

from .contest import AUTO, BLOCK, OPS, ROMIO, TWO_PHASE, multi_phase, tuned_romio
from .launch import BenchError, Nodes, read_records
from .tables import number, rate_cell, table

NODES = 4
RATE = "100mbit"
MIB = 1 << 20


def run(bench):
    """data["network"]: the link's rate, the bound, and {ranks per node: {case: Case}}."""
    if bench.launcher.mpi != "openmpi":
        bench.say("Slow network: skipped, it needs Open MPI.\n")
        return
    cases = ["cyclic:1", "cyclic:512"] if bench.quick else ["cyclic:1", "cyclic:16", "cyclic:512", "cyclic:65536"]
    limit, bench.launcher.limit_s = bench.launcher.limit_s, 60
    try:
        with Nodes(NODES, RATE) as nodes:
            link = link_rate(bench, nodes)
            found = {}
            for per_node in (1,) if bench.quick else (1, 2):
                nodes.per_node = per_node
                found[per_node] = one_setting(bench, nodes, cases, link)
            bench.data["network"] = {"link": link, "nodes": NODES, "found": found}
    except BenchError as why:
        bench.say(f"Slow network: skipped ({why}).\n")
    finally:
        bench.launcher.limit_s = limit


def link_rate(bench, nodes):
    records = bench.launcher.folder / "link.jsonl"
    records.unlink(missing_ok=True)
    nodes.per_node = 1
    words = bench.launcher.command("link", NODES, "romio", nodes)
    code = bench.launcher.start(words + [str(records), str((4 if bench.quick else 16) * MIB)], records)
    lines = [line for line in read_records(records) if line["type"] == "link"]
    if not lines:
        raise BenchError(f"MPI does not run across the namespaces (code {code}); see {bench.launcher.log}")
    return lines[0]


def bound_rate(link, nodes):
    """MB/s of the whole access if only the wire counted: a node keeps 1/nodes of its bytes."""
    return link["stream_bytes_per_s"] * nodes * nodes / (nodes - 1) / 1e6


def one_setting(bench, nodes, cases, link):
    ranks = NODES * nodes.per_node
    mine = [BLOCK, AUTO, TWO_PHASE, multi_phase(2)]
    size = (8 if bench.quick else 16) * MIB
    options = ["--bytes", str(size), "--repetitions", str(bench.repetitions), "--budget", "4" if bench.quick else "8"]
    contestants = mine + [ROMIO, tuned_romio(ranks)]
    found = bench.launcher.run("access", ranks, "romio", contestants, cases, options, nodes)
    bound = bound_rate(link, NODES)
    for op in OPS:
        rows = []
        for name in cases:
            rate = found[name].rate(AUTO.name, op)
            rows.append([name, *(rate_cell(found[name], c.name, op) for c in contestants), number(bound),
                         number(rate / bound if rate else None)])
        bench.say(table(f"{NODES} nodes at {RATE} ({link['stream_bytes_per_s'] / 1e6:.1f} MB/s measured), "
                        f"{nodes.per_node} rank(s) each, {size // MIB} MiB, {op}: MB/s",
                        ["", *(c.name for c in contestants), "wire allows", "auto/wire"], rows))
    return found
