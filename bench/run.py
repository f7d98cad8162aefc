#!/usr/bin/env python3
"""Runs the benchmarks: Tutti beside the host's own MPI-IO, Block I/O and hand-written code.

Every byte is checked after every write and every read. The exit code tells about bytes and failures
of Tutti, never about speed. Results: BUILD/bench (results.json, report.txt, plots, run.log).
"""

import argparse
import dataclasses
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))

from suite import bars, costs, libraries, matrix, network, nonblocking, overlap, resonant, shapes  # noqa: E402
from suite.contest import Bench  # noqa: E402
from suite.launch import BenchError, Launcher  # noqa: E402

SECTIONS = {
    "matrix": matrix.run,
    "levels": shapes.levels,
    "irregular": shapes.irregular,
    "gaps": shapes.gaps,
    "lattice": shapes.lattice,
    "independent": shapes.independent,
    "view": costs.view,
    "inspector": costs.inspector,
    "memory": costs.memory,
    "network": network.run,
    "nonblocking": nonblocking.run,
    "overlap": overlap.run,
    "resonant": resonant.run,
    "hdf5": libraries.hdf5,
    "kernels": costs.kernels,
}


def parse():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=HERE.parent / "build")
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], default="openmpi")
    parser.add_argument("--quick", action="store_true", help="small sizes, a few minutes")
    parser.add_argument("--only", action="append", choices=list(SECTIONS), help="a section; may be repeated")
    parser.add_argument("--size", type=int, help="MiB of the matrix, the lattice and the levels (64; quick: 16)")
    parser.add_argument("--repetitions", type=int, help="alternating repetitions (5; quick: 3)")
    parser.add_argument("--limit", type=float, help="seconds after which a call is cut off (60; quick: 10)")
    parser.add_argument("--dir", type=Path, default=Path("/dev/shm"), help="folder for the measured file")
    parser.add_argument("--storage", default="striped:",
                        help="prefix of the file that `resonant` measures, with a folder where that is not --dir (ceph:/)")
    parser.add_argument("--ceph", action="store_true",
                        help="`resonant` measures a file of a Ceph cluster that it starts and stops (scripts/ceph-up)")
    parser.add_argument("--stripe", type=int, default=64, help="KiB of a stripe of the file that `resonant` measures (64)")
    parser.add_argument("--pattern", action="append", choices=list(resonant.CASES),
                        help="an access pattern of `resonant`; may be repeated")
    parser.add_argument("--large-segments", action="store_true", help="of those, only the ones with segments of 64 KiB and more")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.size = (options.size or (16 if options.quick else 64)) << 20
    options.repetitions = options.repetitions or (3 if options.quick else 5)
    options.limit = options.limit or (10 if options.quick else 60)
    return options


def text_keys(value):
    """JSON knows text keys only."""
    if dataclasses.is_dataclass(value):
        value = dataclasses.asdict(value)
    if isinstance(value, dict):
        return {" ".join(map(str, key)) if isinstance(key, tuple) else str(key): text_keys(each)
                for key, each in value.items()}
    return [text_keys(each) for each in value] if isinstance(value, list) else value


def draw(results, folder, say):
    """Plots with whichever Python has matplotlib."""
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3"]):
        done = subprocess.run([python, HERE / "suite" / "plot.py", results, folder], check=False, capture_output=True,
                              text=True)
        if done.returncode == 0:
            return
    last = done.stderr.strip().splitlines()[-1:] or ["?"]
    say(f"No plot: {last[0]} (Debian: python3-matplotlib).\n")


def run_sections(bench, names, keep):
    """Keeps the results after each section, so that an ended run leaves what it has."""
    for name in names:
        begin = time.monotonic()
        bench.say(f"== {name}\n")
        try:
            SECTIONS[name](bench)
        except BenchError as why:
            bench.launcher.wrong.append(f"{name}: {why}")
            bench.say(f"{name}: {why}\n")
        bench.say(f"({name} took {time.monotonic() - begin:.0f} s)\n")
        keep()


def stop(number, _):
    """An ended run still takes its processes, namespaces and files with it."""
    sys.exit(128 + number)


def main():
    options = parse()
    program = options.build / "bin" / f"bench_access_{options.mpi}"
    if not program.exists():
        print(f"bench: {program} is missing; build first (make build).", file=sys.stderr)
        return 2
    folder = options.build / "bench"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    begin = time.monotonic()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    with (folder / "report.txt").open("w", encoding="utf-8") as report:
        def say(text):
            print(text, flush=True)
            report.write(text + "\n")
            report.flush()

        with tempfile.TemporaryDirectory(prefix="tutti-bench-", dir=options.dir) as scratch:
            launcher = Launcher(options.build, options.mpi, Path(scratch), options.limit, folder / "run.log")
            bench = Bench(launcher, options.quick, options.size, options.repetitions, say, storage=options.storage,
                          ceph=options.ceph, stripe=options.stripe << 10, patterns=options.pattern,
                          large_segments=options.large_segments)
            place = f"{options.mpi}, {options.dir}, {os.cpu_count()} cores"
            say(f"Tutti benchmarks: {options.size >> 20} MiB, {options.repetitions} alternating repetitions, {place}.\n"
                f"Load before: {os.getloadavg()[0]:.1f}. A call that needs more than {options.limit:.0f} s is cut off.\n")
            results = folder / "results.json"

            def keep():
                facts = {"mpi": options.mpi, "place": place, "size": options.size, "quick": options.quick,
                         "repetitions": options.repetitions, "wrong": launcher.wrong}
                results.write_text(json.dumps({**facts, "sections": text_keys(bench.data)}, indent=1), encoding="utf-8")

            run_sections(bench, options.only or list(SECTIONS), keep)
        say(bars.summary(bench))
        keep()
        if "matrix" in bench.data:
            draw(results, folder, say)
        for sentence in launcher.reported:
            say(f"A peer failed: {sentence}")
        for sentence in launcher.wrong:
            say(f"WRONG: {sentence}")
        say(f"{'Some bytes or calls were wrong' if launcher.wrong else 'All bytes were right'}; "
            f"{(time.monotonic() - begin) / 60:.1f} min. Results: {folder}")
    return 1 if launcher.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
