"""Libraries on top of MPI-IO: whole launches in turn, with the preload and without it."""

from .tables import number, table
from .whole_launch import TUTTI, TooSlow, contestants, measured, median

LIMIT_S = 60  # of one launch


def hdf5(bench):
    """A 3-D dataset over all ranks, collective, and many small attributes: medians of alternating launches."""
    launcher = bench.launcher
    if not (launcher.build / "bin" / f"bench_hdf5_{launcher.mpi}").exists():
        bench.say(f"hdf5: left out, parallel HDF5 for {launcher.mpi} was not found when the build was configured.\n")
        return
    ranks = bench.ranks(16, 4)[0]
    side = 128 if bench.quick else 256
    cases = {f"3-D dataset of {side}³ doubles, in blocks": ["volume", str(side), "blocks"],
             "the same, last dimension divided": ["volume", str(side), "columns"],
             "64 groups with 100 attributes": ["attributes", "64", "100"]}
    everybody = contestants(launcher)
    found, late = {}, set()
    for name, words in cases.items():
        for repetition in range(launches(bench, words)):
            for shift in range(len(everybody)):
                contestant = everybody[(repetition + shift) % len(everybody)]
                times = found.setdefault(name, {}).setdefault(contestant, {"write": [], "read": []})
                if (name, contestant) in late:
                    continue
                try:
                    for op, seconds in run_once(launcher, ranks, contestant, words).items():
                        times[op].append(seconds)
                except TooSlow:
                    if contestant == TUTTI:
                        raise
                    late.add((name, contestant))
    rows = []
    for name, outcomes in found.items():
        for op in ("write", "read"):
            mine = median(outcomes[TUTTI][op])
            rows.append([name, op] + [cell for contestant in everybody for cell in
                                      cells(contestant, outcomes[contestant][op], mine)])
    titles = [title for contestant in everybody for title in
              ([contestant] if contestant == TUTTI else [contestant, "times"])]
    bench.say(table(f"HDF5, {ranks} ranks: milliseconds, and how many times faster Tutti is",
                    ["case", "op"] + titles, rows))
    bench.data["hdf5"] = found


def launches(bench, words):
    """Attributes cost the library's own computing, which differs from launch to launch more than the contestants do."""
    return bench.repetitions if bench.quick or words[0] != "attributes" else max(11, bench.repetitions)


def cells(contestant, seconds, tutti):
    if not seconds:
        return [f"> {LIMIT_S} s", "–"]
    shown = [number(median(seconds) * 1e3)]
    return shown if contestant == TUTTI else shown + [number(median(seconds) / tutti)]


def run_once(launcher, ranks, contestant, words):
    """Seconds per operation, as the program prints them."""
    path = launcher.folder / "measured.h5"
    try:
        return measured(launcher, "hdf5", ranks, contestant, [path, *words], LIMIT_S)[-1]
    finally:
        path.unlink(missing_ok=True)
