"""Block-cyclic arrays: strategies and peers over block sizes, numbers of ranks, and directions."""

from .contest import AUTO, BLOCK, LIST, OMPIO, OPS, ROMIO, SIEVE, TWO_PHASE, multi_phase, radices, tuned_romio
from .tables import rate_cell, table, times

BLOCKS = (1, 4, 16, 64, 512, 4096, 65536)
QUICK_BLOCKS = (1, 16, 512, 65536)
RANKS = (2, 4, 16)
QUICK_RANKS = (4, 16)


def case_name(block):
    return f"cyclic:{block}"


def strategies(ranks, quick):
    if quick:
        return [AUTO, TWO_PHASE, multi_phase(2)]
    return [AUTO, TWO_PHASE, *map(multi_phase, radices(ranks)), LIST, SIEVE]


def run(bench):
    """data["matrix"]: {ranks: {host: {case: Case}}}."""
    blocks = QUICK_BLOCKS if bench.quick else BLOCKS
    cases = [case_name(block) for block in blocks]
    found = {}
    for ranks in bench.ranks(*(QUICK_RANKS if bench.quick else RANKS)):
        mine = strategies(ranks, bench.quick)
        # The quick ones more often than the slow ones, which keep to their budget.
        repetitions = bench.repetitions if bench.quick else max(9, bench.repetitions)
        options = ["--bytes", str(bench.size), "--repetitions", str(repetitions),
                   "--budget", "2" if bench.quick else "5"]
        found[ranks] = {}
        for host, theirs in bench.hosts(ranks).items():
            ours = [BLOCK, *mine] if host == "romio" else [BLOCK, AUTO]
            found[ranks][host] = bench.launcher.run("access", ranks, host, ours + theirs, cases, options)
        for op in OPS:
            bench.say(rates(found[ranks], ranks, op, blocks, mine))
    bench.data["matrix"] = found
    bench.say(openings(found))


def rates(by_host, ranks, op, blocks, mine):
    names = [BLOCK.name, *(c.name for c in mine), ROMIO.name, tuned_romio(ranks).name]
    head = ["Bx", *names] + ([OMPIO.name] if "ompio" in by_host else []) + ["auto/Block", "auto/best peer"]
    rows = []
    for block in blocks:
        case = by_host["romio"][case_name(block)]
        row = [str(block), *(rate_cell(case, name, op) for name in names)]
        if "ompio" in by_host:
            row.append(rate_cell(by_host["ompio"][case_name(block)], OMPIO.name, op))
        row += [times(case.ratio(AUTO.name, BLOCK.name, op)), times(against_best_peer(by_host, block, op))]
        rows.append(row)
    return table(f"Block-cyclic {op}, {ranks} ranks: MB/s of the best repetition; the last column compares medians "
                 "inside one launch", head, rows)


def against_best_peer(by_host, block, op):
    """How much faster `auto` is than the fastest peer, each compared within its own launch."""
    ratios = []
    for cases in by_host.values():
        case = cases[case_name(block)]
        ratios += [case.ratio(AUTO.name, name, op, "median") for name in case.outcomes
                   if name in (ROMIO.name, OMPIO.name) or name.startswith("ROMIO")]
    ratios = [ratio for ratio in ratios if ratio]
    return min(ratios) if ratios else None


def openings(found):
    """The time that is not in the tables above."""
    rows = []
    for ranks, by_host in found.items():
        for block in (1, 65536):
            row = [f"{ranks} ranks, Bx {block}"]
            for host, name in (("romio", AUTO.name), ("romio", ROMIO.name), ("ompio", OMPIO.name)):
                outcome = by_host.get(host, {}).get(case_name(block))
                outcome = outcome.outcomes.get(name) if outcome else None
                done = outcome is not None and outcome.open_s is not None
                row += [f"{outcome.open_s * 1e3:.2f}" if done else "–", f"{outcome.view_s * 1e3:.2f}" if done else "–"]
            rows.append(row)
    return table("Open and set_view, ms (not part of the times above)",
                 ["", "auto open", "view", "ROMIO open", "view", "OMPIO open", "view"], rows)
