"""How much of a nonblocking collective access is hidden behind a computation that calls no MPI."""

from .launch import BenchError
from .tables import seconds, table
from .whole_launch import TUTTI, TooSlow, contestants, measured, median

COMPUTE_S = 1.0
LIMIT_S = 150  # of one launch
LEAST_REPETITIONS = 9  # a hundredth of the computation is a fifth of a quick access
RATE = 150  # million bytes a second and rank, of the slow device


def run(bench):
    """One rank with a core to spare, two ranks on slow storage, and a peer that sits in MPI_Recv."""
    size = (64 if bench.quick else 256) << 20
    rate = RATE * size // (256 << 20)
    slow = f"faulty:mbytes-per-s={rate}:"
    everybody = contestants(bench.launcher)
    cases = [(f"{ranks} rank{'s' if ranks > 1 else ''}{', slow storage' if prefix else ''}", op, ranks, prefix, who)
             for ranks, prefix, who in ((1, "", everybody), (2, slow, [TUTTI])) for op in ("write", "read")]
    cases.append(("2 ranks, one in MPI_Recv", "recv", 2, "", everybody))
    found, rows = {}, []
    for title, op, ranks, prefix, who in cases:
        for contestant in who:
            outcome = attempt(bench, contestant, ranks, prefix, size, op)
            found.setdefault(f"{title}, {op}", {})[contestant] = outcome
            rows.append([title, op, contestant, *cells(outcome, op)])
    bench.say(table(f"Overlap: {size >> 20} MiB, {COMPUTE_S:.0f} s of computation that calls no MPI; medians, also of "
                    "what was hidden in each repetition",
                    ["case", "op", "MPI-IO", "alone", "computation", "together", "hidden"], rows, left=3))
    bench.data["overlap"] = found


def attempt(bench, contestant, ranks, prefix, size, op):
    path = bench.launcher.folder / "overlapped"
    repetitions = bench.repetitions if bench.quick else max(bench.repetitions, LEAST_REPETITIONS)
    limit = min(LIMIT_S, bench.launcher.limit_s) if op == "recv" else LIMIT_S
    try:
        samples = measured(bench.launcher, "overlap", ranks, contestant,
                           [f"{prefix}{path}", size, COMPUTE_S, repetitions, op], limit)
    except BenchError as why:
        if contestant == TUTTI:
            bench.launcher.wrong.append(str(why))
        else:
            bench.launcher.reported.append(str(why))
        return {"problem": f"> {limit:.0f} s" if isinstance(why, TooSlow) else "failed"}
    finally:
        path.unlink(missing_ok=True)
    middle = {key: median([sample[key] for sample in samples]) for key in ("alone", "compute", "both")}
    if op != "recv":
        middle["hidden"] = median([hidden(sample) for sample in samples])
    return {**middle, "samples": samples}


def hidden(times):
    """Of the shorter one, in one repetition."""
    saved = times["alone"] + times["compute"] - times["both"]
    return saved / min(times["alone"], times["compute"])


def cells(outcome, op):
    if "problem" in outcome:
        return ["–", "–", outcome["problem"], "–"]
    if op == "recv":
        return [seconds(outcome["alone"]), "–", seconds(outcome["both"]), "–"]
    return [seconds(outcome[key]) for key in ("alone", "compute", "both")] + [f"{100 * outcome['hidden']:.0f} %"]
