"""Libraries on top of MPI-IO: whole launches in turn, with the preload and without it."""

import json
import os
import subprocess

from .launch import BenchError
from .tables import number, table

LIMIT_S = 120  # of one launch


def hdf5(bench):
    """A 3-D dataset over all ranks, collective, and many small attributes: medians of alternating launches."""
    launcher = bench.launcher
    if not (launcher.build / "bin" / f"bench_hdf5_{launcher.mpi}").exists():
        bench.say(f"hdf5: left out, parallel HDF5 for {launcher.mpi} was not found when the build was configured.\n")
        return
    ranks = bench.ranks(16, 4)[0]
    side = 128 if bench.quick else 256
    cases = {f"3-D dataset of {side}³ doubles, collective": ["volume", str(side)],
             "64 groups with 100 attributes": ["attributes", "64", "100"]}
    contestants = ["Tutti"] + [host.upper() for host in launcher.hosts()]
    found = {}
    for name, words in cases.items():
        for repetition in range(bench.repetitions):
            for shift in range(len(contestants)):
                contestant = contestants[(repetition + shift) % len(contestants)]
                times = found.setdefault(name, {}).setdefault(contestant, {"write": [], "read": []})
                for op, seconds in run_once(launcher, ranks, contestant, words).items():
                    times[op].append(seconds)
    rows = []
    for name, outcomes in found.items():
        for op in ("write", "read"):
            mine = median(outcomes["Tutti"][op])
            rows.append([name, op] + [cell for contestant in contestants for cell in
                                      cells(contestant, median(outcomes[contestant][op]), mine)])
    titles = [title for contestant in contestants for title in
              ([contestant] if contestant == "Tutti" else [contestant, "times"])]
    bench.say(table(f"HDF5, {ranks} ranks: milliseconds, and how many times faster Tutti is",
                    ["case", "op"] + titles, rows))
    bench.data["hdf5"] = found


def cells(contestant, seconds, tutti):
    shown = [number(seconds * 1e3)]
    return shown if contestant == "Tutti" else shown + [number(seconds / tutti)]


def median(values):
    return sorted(values)[len(values) // 2]


def run_once(launcher, ranks, contestant, words):
    """Seconds per operation, as the program prints them."""
    host = launcher.hosts()[0] if contestant == "Tutti" else contestant.lower()
    command = launcher.command("hdf5", ranks, host)
    if contestant != "Tutti":
        at = command.index("-x" if launcher.mpi == "openmpi" else "-genv")
        command[at:at + (2 if launcher.mpi == "openmpi" else 3)] = []
    path = launcher.folder / "measured.h5"
    environment = {key: value for key, value in os.environ.items()
                   if key != "LD_PRELOAD" and not key.startswith("TUTTI_")}
    with launcher.log.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)} {' '.join(words)}\n")
    try:
        done = subprocess.run(command + [str(path), *words], env=environment, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired as late:
        raise BenchError(f"hdf5: {contestant} needs more than {LIMIT_S} s") from late
    finally:
        path.unlink(missing_ok=True)
    if done.returncode != 0:
        raise BenchError(f"hdf5: {contestant} ended with {done.returncode}: {done.stderr[-500:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])
