"""The measured figures beside the bars set for them. Nothing here fails a run."""

from . import costs, matrix, network, nonblocking, overlap, resonant, shapes
from .contest import AUTO, BLOCK, HAND_WRITTEN, OMPIO, OPS, at_level, tuned_romio
from .tables import number, seconds, size, table
from .whole_launch import TUTTI, median

NOISE = 0.10  # a peer that is less than this much faster counts as equal
SHARED_NOISE = 0.15  # so much differ two runs of one plan where servers share the machine's cores with the ranks
STAGING_BYTES = 16 << 20


def summary(bench):
    rows = []
    for make in (block_ratios, romio_ratios, never_slower, second_call, inspector_growth, peak_memory, gap_costs,
                 irregular_ratio, lattice_ratio, wire, nonblocking_ratios, hidden_share,
                 resonant_ratios, hdf5_ratios, view_costs, rank_select, independent_ratio, touch_bandwidth):
        rows += make(bench.data)
    rows = [[what, bar, {True: "met", False: "NOT met", None: "–"}[met], measured] for what, bar, measured, met in rows]
    bench.data["summary"] = rows
    return table("Bars", ["what", "bar", "", "measured"], rows, left=4)


def least(found):
    """The smallest of (ratio, where), without the missing ones."""
    return min((pair for pair in found if pair[0] is not None), default=None)


def at_least(what, bar, worst):
    if worst is None:
        return [(what, f">= {bar}", "not measured", None)]
    return [(what, f">= {bar}", f"{number(worst[0])} ({worst[1]})", worst[0] >= bar)]


def romio_cases(data, ranks):
    return data.get("matrix", {}).get(ranks, {}).get("romio", {})


def block_ratios(data):
    rows = []
    for ranks, bar in ((4, 0.7), (16, 0.5)):
        found = [(case.ratio(AUTO.name, BLOCK.name, op), f"{name} {op}")
                 for name, case in romio_cases(data, ranks).items() for op in OPS]
        rows += at_least(f"auto / Block I/O, {ranks} ranks, worst", bar, least(found))
    return rows


def romio_ratios(data):
    rows = []
    for block, bar in ((1, 150), (16, 10), (512, 1.3), (65536, 1.0)):
        case = romio_cases(data, 4).get(matrix.case_name(block))
        found = [(case.ratio(AUTO.name, tuned_romio(4).name, op), op) for op in OPS] if case else []
        rows += at_least(f"auto / tuned ROMIO, 4 ranks, Bx {block}", bar, least(found))
    return rows


def never_slower(data):
    found = []
    for ranks, by_host in data.get("matrix", {}).items():
        for name in by_host.get("romio", {}):
            block = int(name.split(":")[1])
            found += [(matrix.against_best_peer(by_host, block, op), f"{ranks} ranks, {name} {op}") for op in OPS]
    slower = sorted(pair for pair in found if pair[0] is not None and pair[0] < 1 - NOISE)
    rows = at_least(f"auto / best peer anywhere, medians ({NOISE:.0%} is noise)", 1 - NOISE, least(found))
    shown = 6
    rows += [("  slower there", "", f"{number(ratio)} ({where})", None) for ratio, where in slower[:shown]]
    if len(slower) > shown:
        rows.append(("  and there", "", f"{len(slower) - shown} more of {len(found)} places", None))
    return rows


def second_call(data):
    sent, shares = [], []
    for outcome in data.get("inspector", {}).values():
        second = [stats for stats in outcome.stats["write"] if stats["repetition"] == 1 and stats.get("call_us")]
        sent += [stats["descriptors_sent"] for stats in second if "descriptors_sent" in stats]
        here = sorted(stats.get("inspect_us", 0) / stats["call_us"] for stats in second)
        shares += here[len(here) // 2:][:1]
    if not sent:
        return [("descriptors in a second call", "0", "no counters", None),
                ("inspector's share of a second call", "< 1%", "no counters", None)]
    return [("descriptors in a second call", "0", f"{max(sent):.0f}", max(sent) == 0),
            ("inspector's share of a second call", "< 1%", f"{max(shares):.2%} (median, worst size)", max(shares) < 0.01)]


def inspector_growth(data):
    # Ranks that outnumber the cores wait for their turns: what a rank computes is the inspector's own growth.
    def quickest(caches, key):
        return {point: costs.calls(outcome, "write", 0, key).get(key) for point, outcome in data.get(caches, {}).items()}

    firsts = quickest("inspector", "inspect_us")
    warm = quickest("inspector, caches warm", "inspect_cpu_us")
    points = [(point, time, firsts[point], warm[point]) for point, time in quickest("inspector", "inspect_cpu_us").items()
              if time]
    over_nx = sorted((count, *times) for (ranks, count), *times in points if ranks == 4)
    over_p = sorted((ranks, *times) for (ranks, count), *times in points if count == 100_000)
    rows = []
    if len(over_nx) > 1:
        rows.append(growth_row("elements", over_nx, lambda growth, _: growth <= 1.5, lambda _: "<= 1.5x"))
    if len(over_p) > 1:
        rows.append(growth_row("ranks", over_p, lambda growth, factor: growth < factor,
                               lambda factor: f"< {number(factor)}x"))
    return rows or [("inspector's growth", "<= 1.5x", "no counters", None)]


def growth_row(what, points, met, bar):
    """From the first to the last of [(how many, computing, with waiting, computing with warm caches)]."""
    first, last = points[0], points[-1]
    factor, growth, waiting, warm = (last[i] / first[i] for i in range(4))
    return (f"inspector's computing, {factor:.0f} times as many {what}", bar(factor),
            f"{number(growth)}x ({seconds(first[1] / 1e6)} to {seconds(last[1] / 1e6)}; {number(waiting)}x with waiting, "
            f"{number(warm)}x where the call before leaves caches as they are)",
            met(growth, factor))


def peak_memory(data):
    found = data.get("memory")
    if not found:
        return []
    bar = STAGING_BYTES + (1 << 20) + 256 * found["ranks"]
    rows = []
    for case, outcomes in found["cases"].items():
        mine = outcomes.get(AUTO.name)
        peak = max(mine.memory.values(), default=None) if mine else None
        others = ", ".join(f"{name} {size(max(outcome.memory.values()))}" for name, outcome in outcomes.items()
                           if name != AUTO.name and outcome and outcome.memory)
        rows.append((f"peak memory added per rank, {case}", f"<= {size(bar)}",
                     (size(peak) if peak is not None else "not measured") + (f" ({others})" if others else ""),
                     peak <= bar if peak is not None else None))
    return rows


def gap_costs(data):
    found = [(shapes.gap_cost(by_host, "romio", AUTO.name, memory, op), f"{ranks} ranks, {gaps}, {op}")
             for ranks, by_host in data.get("gaps", {}).items()
             for memory, gaps in ((1, "one gap"), (2, "gaps")) for op in OPS]
    found = [pair for pair in found if pair[0] is not None]
    if not found:
        return [("gaps in memory, time against contiguous", "<= 1.5x", "not measured", None)]
    worst = max(found)
    return [("gaps in memory, time against contiguous", "<= 1.5x", f"{number(worst[0])}x ({worst[1]})", worst[0] <= 1.5)]


def irregular_ratio(data):
    found = [(case.ratio(AUTO.name, tuned_romio(4).name, op), f"{name} {op}")
             for by_host in data.get("irregular", {}).values()
             for name, case in by_host.get("romio", {}).items() for op in OPS]
    return at_least("irregular, auto / tuned ROMIO", 3, least(found))


def lattice_ratio(data):
    found = [(by_host["romio"]["lattice"].ratio(AUTO.name, HAND_WRITTEN.name, op), f"{ranks} ranks, {op}")
             for ranks, by_host in data.get("lattice", {}).items() for op in OPS]
    return at_least("lattice, auto / hand-written exchange", 1.0, least(found))


def wire(data):
    found = data.get("network")
    if not found:
        return [("slow network, auto / what the wire allows", ">= 0.85", "not measured", None)]
    bound = network.bound_rate(found["link"], found["nodes"])
    rates = [(case.rate(AUTO.name, op), f"{per_node} per node, {name} {op}")
             for per_node, cases in found["found"].items() for name, case in cases.items() for op in OPS]
    return at_least("slow network, auto / what the wire allows", 0.85,
                    least([(rate / bound if rate else None, where) for rate, where in rates]))


def nonblocking_ratios(data):
    found = data.get("nonblocking", {})
    slow = [(nonblocking.slowdown(case, level, op), f"{name} {flavour} {op}") for cases in found.values()
            for name, case in cases.items() for flavour, level in nonblocking.FLAVOURS.items() for op in OPS]
    slow = [pair for pair in slow if pair[0] is not None]
    if not slow:
        return [("nonblocking and split, time against blocking", "<= 1.2x", "not measured", None)]
    worst = max(slow)
    rows = [("nonblocking and split, time against blocking", "<= 1.2x", f"{number(worst[0])}x ({worst[1]})",
             worst[0] <= 1.2)]
    if "ompio" in found:
        rows += at_least("nonblocking and split, Tutti / OMPIO's", 20, least(
            (case.ratio(at_level(AUTO, level).name, at_level(OMPIO, level).name, op, "median"), f"{name} {flavour} {op}")
            for name, case in found["ompio"].items() for flavour, level in nonblocking.FLAVOURS.items() for op in OPS))
    return rows


def hidden_share(data):
    found = [(outcomes[TUTTI].get("hidden"), case) for case, outcomes in data.get("overlap", {}).items()]
    return at_least("nonblocking access hidden behind computation", 0.8, least(found))


def resonant_ratios(data):
    found = [(resonant.ratio(case, op), f"{ranks} ranks, {name} {op}") for ranks, cases in data.get("resonant", {}).items()
             for name, case in cases.items() if resonant.has_large_segments(name) for op in OPS]
    slower = sorted(pair for pair in found if pair[0] is not None and pair[0] < 1 - SHARED_NOISE)
    rows = at_least(f"resonant / two-phase, segments of 64 KB and more, medians ({SHARED_NOISE:.0%} is noise)",
                    1 - SHARED_NOISE, least(found))
    return rows + [("  slower there", "", f"{number(ratio)} ({where})", None) for ratio, where in slower[1:7]]


def hdf5_ratios(data):
    found, small = [], []
    for case, outcomes in data.get("hdf5", {}).items():
        for peer, times in outcomes.items():
            for op in OPS:
                if peer == TUTTI or not times[op] or not outcomes[TUTTI][op]:
                    continue
                pair = (median(times[op]) / median(outcomes[TUTTI][op]), f"{case}, {op}, {peer}")
                found.append(pair)
                if "last dimension" in case:
                    small.append(pair)
    return (at_least("HDF5, Tutti / the hosts, medians", 1 - NOISE, least(found)) +
            at_least("HDF5 in small pieces, Tutti / the hosts", 3, least(small)))


def view_costs(data):
    outcome = data.get("view", {}).get("vector:16777216", {}).get(AUTO.name)
    cost = costs.view_cost(outcome) if outcome else None
    if cost is None:
        return [("set_view with 16 M blocks", "< 1 ms, < 1 MB", "not measured", None)]
    return [("set_view with 16 M blocks", "< 1 ms, < 1 MB",
             f"{seconds(cost['seconds'])}, {size(cost['heap_bytes'])}",
             cost["seconds"] < 1e-3 and cost["heap_bytes"] < 1e6)]


def rank_select(data):
    found = data.get("kernels", {})
    times = [found[name]["cpu_time"] for name in ("select/indexed_1M", "rank/indexed_1M") if name in found]
    if len(times) < 2:
        return [("indexed with 1 M equidistant blocks", "regular, < 1 us", "not measured", None)]
    regular = found.get("recognise_indexed", {}).get("regular") == 1
    return [("indexed with 1 M equidistant blocks", "regular, < 1 us",
             f"{'regular' if regular else 'NOT regular'}, {max(times):.1f} ns", regular and max(times) < 1000)]


def independent_ratio(data):
    found = [(shapes.independent_ratio(by_host, op), f"{ranks} rank(s), {op}")
             for ranks, by_host in data.get("independent", {}).items() for op in OPS]
    return at_least("independent strided, Tutti / better peer", 1.0, least(found))


def touch_bandwidth(data):
    """4-byte elements at a stride of 16 or 64 bytes; kernels_bench gives the ratio itself."""
    found = [(entry["of_touch"], name) for name, entry in data.get("kernels", {}).items()
             if "of_touch" in entry and "strided" in name and "level" not in name and "width:4/" in name + "/"
             and ("stride:16/" in name + "/" or "stride:64/" in name + "/")]
    return at_least("pack and unpack / touching the cache lines", 0.5, least(found))
