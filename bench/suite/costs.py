"""What structure costs: views, the inspector, memory, and the kernels below them."""

import json
import subprocess

from .contest import AUTO, OMPIO, ROMIO, tuned_romio
from .tables import number, seconds, size, table

VIEW_CASES = {"vector:16777216": "MPI_Type_vector, 16 M blocks of 4 bytes",
              "indexed:1000000": "MPI_Type_indexed, 1 M equidistant blocks"}
# What the bars ask of the Google Benchmark programs; run them by hand for the rest.
KERNELS = {"pattern_bench": ".",
           "kernels_bench": "^(memcpy|strided/.*width:4/stride:(16|64)/|block_cyclic/.*ranks:(4|16)/.*element:4)"}


def view(bench):
    """Time and memory of MPI_File_set_view."""
    found = {}
    for host, theirs in {"romio": [AUTO, ROMIO], "ompio": [OMPIO]}.items():
        if host not in bench.launcher.hosts():
            continue
        for name, case in bench.launcher.run("view_cost", 1, host, theirs, list(VIEW_CASES)).items():
            found.setdefault(name, {}).update(case.outcomes)
    rows = []
    for name, title in VIEW_CASES.items():
        for contestant in (AUTO, ROMIO, OMPIO):
            outcome = found.get(name, {}).get(contestant.name)
            if outcome is None:
                continue
            cost = view_cost(outcome)
            rows.append([title, contestant.name] + (["–", "–", "–"] if cost is None else
                        [seconds(cost["seconds"]), size(cost["heap_bytes"]), size(cost["resident_bytes"])]))
    bench.say(table("MPI_File_set_view: best time of 3, and memory it adds",
                    ["datatype", "MPI-IO", "time", "heap", "resident"], rows))
    bench.data["view"] = found


def view_cost(outcome):
    if not outcome.views:
        return None
    return {"seconds": min(record["seconds"] for record in outcome.views),
            "heap_bytes": max(record["heap_bytes"] for record in outcome.views),
            "resident_bytes": max(record["resident_bytes"] for record in outcome.views)}


def inspector(bench):
    """First and second call, over the number of elements and over the number of ranks. Caches are cold before each call:
    few elements would leave the inspector in them and many would not, which says nothing about the inspector. What is
    computed is also measured with caches as the call before leaves them."""
    repeats = 3 if bench.quick else 20
    most = bench.ranks(16, 4)[0]
    elements = (10_000, 100_000, 1_000_000) if bench.quick else (10_000, 100_000, 1_000_000, 10_000_000)
    points = [(4, count) for count in elements] + [(ranks, 100_000) for ranks in bench.ranks(2, 4, 8, 16)]
    found, warm = {}, {}
    for ranks, count in dict.fromkeys(points):
        for outcomes, caches in ((found, ["--cold"]), (warm, [])):
            options = ["--bytes", str(4 * count * ranks), "--repetitions", "3", *caches]
            outcomes[ranks, count] = bench.launcher.run("access", ranks, "romio", [AUTO], ["cyclic:1"] * repeats,
                                                        options)["cyclic:1"].outcomes[AUTO.name]
    rows = []
    for (ranks, count), outcome in found.items():
        first, second = calls(outcome, "write", 0), calls(outcome, "write", 1)
        cells = call_cells(first)
        rows.append([f"{ranks} ranks, {count} elements each", cells[0], micro(first, "inspect_cpu_us"),
                     micro(calls(warm[ranks, count], "write", 0, "inspect_cpu_us"), "inspect_cpu_us"), *cells[1:3],
                     *call_cells(second)])
    bench.say(table(f"Inspector, block-cyclic write, Bx 1, up to {most} ranks: Tutti's counters in the first and "
                    "second call",
                    ["", "1st inspector", "computing", "caches warm", "call", "descriptors", "2nd inspector", "call", "descriptors",
                     "plan hits"], rows))
    bench.data["inspector"], bench.data["inspector, caches warm"] = found, warm


def calls(outcome, op, repetition, quickest="inspect_us"):
    """The counters of one call, the quickest inspection of the repeated cases; {} without counters."""
    found = [stats for stats in outcome.stats[op] if stats["repetition"] == repetition]
    return min(found, key=lambda stats: stats.get(quickest, 0), default={})


def micro(stats, key):
    return seconds(stats[key] / 1e6) if key in stats else "–"


def call_cells(stats):
    def plain(key):
        return f"{stats[key]:.0f}" if key in stats else "–"

    return [micro(stats, "inspect_us"), micro(stats, "call_us"), plain("descriptors_sent"), plain("plan_hits")]


def memory(bench):
    """Peak memory that open, view and one call add per rank; each contestant in a fresh process."""
    ranks, elements = 4, (1 if bench.quick else 16) << 20
    found, rows = {}, []
    limit, bench.launcher.limit_s = bench.launcher.limit_s, min(bench.launcher.limit_s, 5 if bench.quick else 30)
    for case in ("cyclic:1", "cyclic:16"):
        for host, contestant in (("romio", AUTO), ("romio", tuned_romio(ranks)), ("ompio", OMPIO)):
            if host not in bench.launcher.hosts():
                continue
            outcome = bench.launcher.run("access", ranks, host, [contestant], [case], [
                "--bytes", str(4 * elements * ranks), "--memory"])[case].outcomes.get(contestant.name)
            found.setdefault(case, {})[contestant.name] = outcome
            rows.append([case, contestant.name] + [
                size(outcome.memory[op]) if op in outcome.memory else outcome.problem.get(op, "–")
                for op in ("write", "read")])
    bench.launcher.limit_s = limit
    bench.say(table(f"Peak memory added per rank, {ranks} ranks, {elements >> 20} M elements each",
                    ["case", "MPI-IO", "after write", "after read"], rows))
    bench.data["memory"] = {"ranks": ranks, "elements": elements, "cases": found}


def kernels(bench):
    """Google Benchmark programs of this folder."""
    found = {}
    for name, wanted in KERNELS.items():
        program = bench.launcher.build / "bin" / name
        if not program.exists():
            continue
        done = subprocess.run([program, "--benchmark_format=json", f"--benchmark_min_time={0.02 if bench.quick else 0.1}",
                               f"--benchmark_filter={wanted}"], check=False, capture_output=True, text=True,
                              timeout=300)
        try:
            report = json.loads(done.stdout)
        except json.JSONDecodeError:
            bench.say(f"{name} gave no report: {done.stderr.strip()[-200:]}\n")
            continue
        known = {"name", "family_index", "per_family_instance_index", "run_name", "run_type", "repetitions", "threads",
                 "repetition_index", "iterations", "real_time", "cpu_time", "time_unit", "bytes_per_second"}
        rows = []
        for entry in report["benchmarks"]:
            found[entry["name"]] = entry
            counters = ", ".join(f"{key} {number(value)}" for key, value in entry.items()
                                 if key not in known and isinstance(value, (int, float)))
            rate = entry.get("bytes_per_second")
            scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}[entry["time_unit"]]
            rows.append([entry["name"], seconds(entry["cpu_time"] * scale), f"{rate / 1e9:.1f} GB/s" if rate else "–",
                         counters])
        bench.say(table(f"{name} (CPU time)", ["", "time", "rate", "counters"], rows))
    bench.data["kernels"] = found
