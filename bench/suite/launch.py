"""Starts the MPI programs of this folder, watches them, and turns their records into results."""

import json
import os
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

CUT_OFF_CODE = 75  # a program ended itself because a call exceeded the limit
STALL_GRACE_S = 40


@dataclass(frozen=True)
class Contestant:
    """Who is measured: kind is tutti, host, block or transpose; level and memory as in contestant.h."""

    name: str
    kind: str
    level: int = 3
    hints: tuple = ()
    memory: int = 0

    def spec(self):
        return "|".join([self.name, self.kind, str(self.level), str(self.memory), ";".join(f"{k}={v}" for k, v in self.hints)])


@dataclass
class Outcome:
    """What one contestant did in one case."""

    seconds: dict = field(default_factory=lambda: {"write": [], "read": []})
    stats: dict = field(default_factory=lambda: {"open": [], "write": [], "read": []})
    problem: dict = field(default_factory=dict)  # op -> why there is no time
    open_s: float = None
    view_s: float = None
    memory: dict = field(default_factory=dict)  # op -> peak bytes added
    views: list = field(default_factory=list)  # records of view_cost
    requests: dict = field(default_factory=dict)  # op -> records of patterns, one for each I/O node

    def best(self, op):
        return min(self.seconds[op]) if self.seconds[op] else None

    def median(self, op):
        ordered = sorted(self.seconds[op])
        return ordered[len(ordered) // 2] if ordered else None


@dataclass
class Case:
    """One access shape: the data bytes of all ranks, and an Outcome per contestant."""

    bytes: int = 0
    outcomes: dict = field(default_factory=dict)

    def outcome(self, name):
        return self.outcomes.setdefault(name, Outcome())

    def rate(self, name, op, of="best"):
        """MB/s, or None."""
        outcome = self.outcomes.get(name)
        seconds = getattr(outcome, of)(op) if outcome else None
        return self.bytes / seconds / 1e6 if seconds else None

    def ratio(self, name, other, op, of="best"):
        """How many times faster `name` is than `other`, or None."""
        mine, its = self.rate(name, op, of), self.rate(other, op, of)
        return mine / its if mine and its else None


class BenchError(Exception):
    """The run cannot go on; the message is for the user."""


class Launcher:
    """Runs the programs of one build under one MPI, with a scratch folder for the measured file."""

    def __init__(self, build, mpi, folder, limit_s, log, preload=True):
        self.build, self.mpi, self.folder, self.limit_s = build, mpi, folder, limit_s
        self.preload = build / "lib" / "libtutti.so" if preload else None
        self.log = log
        self.wrong = []  # sentences about wrong bytes and failures of Tutti
        self.reported = []  # sentences about failures of others
        self.environment = {}  # what programs find there besides this process's own

    def hosts(self):
        return ["romio", "ompio"] if self.mpi == "openmpi" else ["romio"]

    def command(self, program, ranks, host, nodes=None):
        binary = str(self.build / "bin" / f"bench_{program}_{self.mpi}")
        if self.mpi == "mpich":
            words = ["mpiexec.mpich", "-n", str(ranks)]
            if self.preload:
                words += ["-genv", "LD_PRELOAD", str(self.preload)]
            return words + [binary]
        words = ["mpirun.openmpi", "--oversubscribe", "-n", str(ranks)]
        words += ["--allow-run-as-root"] if os.geteuid() == 0 else []
        words += ["--mca", "io", {"romio": "romio321", "ompio": "ompio"}[host]]
        if self.preload:
            words += ["-x", f"LD_PRELOAD={self.preload}"]
        if nodes:
            words = nodes.wrap(words)
        return words + [binary]

    def start(self, command, records):
        """Runs until the end, or until no record has come for the limit and some more. Exit code."""
        environment = {key: value for key, value in os.environ.items()
                       if key != "LD_PRELOAD" and (not key.startswith("TUTTI_") or key.startswith("TUTTI_CEPH_"))}
        environment.update(self.environment)
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(command)}\n")
            log.flush()
            job = subprocess.Popen(command, env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                   start_new_session=True)
            seen, since = -1, time.monotonic()
            try:
                while True:
                    try:
                        return job.wait(timeout=0.2)
                    except subprocess.TimeoutExpired:
                        pass
                    size = records.stat().st_size if records.exists() else 0
                    if size != seen:
                        seen, since = size, time.monotonic()
                    if time.monotonic() - since > self.limit_s + STALL_GRACE_S:
                        return CUT_OFF_CODE
            finally:
                end_job(job)

    def run(self, program, ranks, host, contestants, cases, options=(), nodes=None, file=None):
        """All cases with all contestants; those that are too slow or crash are left out and said so.

        `file` is the measured file, one in the scratch folder unless it is named. Returns a dictionary from case name to Case.
        """
        skips, results, remaining = [], {}, list(cases)
        for _ in range(3 * len(contestants) * len(cases) + 1):
            records = self.folder / "records.jsonl"
            records.unlink(missing_ok=True)
            words = self.command(program, ranks, host, nodes)
            words += ["--file", file or str(self.folder / "measured"), "--records", str(records),
                      "--limit", str(self.limit_s), *options]
            for contestant in contestants:
                words += ["--contestant", contestant.spec()]
            for skip in skips:
                words += ["--skip", skip]
            code = self.start(words + remaining, records)
            lines = read_records(records)
            finished, pending = split_finished(lines)
            collect(results, finished, self.limit_s)
            self.note(lines, contestants)
            remaining = remaining[sum(1 for line in finished if line["type"] == "finished"):]
            if any(line["type"] == "done" for line in lines):
                break
            if not pending:
                raise BenchError(f"a run of {program} with {ranks} ranks ended with code {code} before it measured "
                                 f"anything; see {self.log}")
            self.leave_out(results, skips, pending, code, contestants)
            if not remaining:
                break
        for case in results.values():
            missing_ops(case, contestants)
        return results

    def note(self, lines, contestants):
        kinds = {contestant.name: contestant.kind for contestant in contestants}
        for line in lines:
            if line["type"] == "wrong":
                self.wrong.append(f"{line['case']}: {line['contestant']}: {line['op']}: "
                                  f"{line['words']} wrong words")
            if line["type"] == "done" and line["wrong_words"] and not any(x["type"] == "wrong" for x in lines):
                self.wrong.append(f"the file has a wrong size; see {self.log}")
            if line["type"] == "failed":
                text = f"{line['case']}: {line['contestant']}: {line['op']}: {line['message']}"
                (self.wrong if kinds[line["contestant"]] != "host" else self.reported).append(text)

    def leave_out(self, results, skips, pending, code, contestants):
        """After a run that broke off: who was at work is not asked again."""
        case, name, op = pending["case"], pending["contestant"], pending["op"]
        slow = code == CUT_OFF_CODE
        reason = f"> {self.limit_s:.0f} s" if slow else "crashed"
        kind = next(c.kind for c in contestants if c.name == name)
        if not slow:
            text = f"{case}: {name}: {op}: the run crashed (code {code})"
            (self.wrong if kind != "host" else self.reported).append(text)
        for each in ["write", "read"] if op == "open" else [op]:
            skips.append(f"{case}|{name}|{each}")
            results.setdefault(case, Case()).outcome(name).problem[each] = reason


def end_job(job):
    """Ends a launcher that is still running; it takes its processes with it."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        if job.poll() is not None:
            return
        os.killpg(job.pid, how)
        try:
            job.wait(timeout=15)
        except subprocess.TimeoutExpired:
            continue


def read_records(path):
    lines = []
    if path.exists():
        for text in path.read_text(encoding="utf-8").splitlines():
            try:
                lines.append(json.loads(text))
            except json.JSONDecodeError:
                break  # the last line of a run that was ended
    return lines


def split_finished(lines):
    """Records of finished cases, and the record of the step in which a run broke off (or None)."""
    last = max((i for i, line in enumerate(lines) if line["type"] == "finished"), default=-1)
    begun = [line for line in lines[last + 1:] if line["type"] == "begin"]
    if any(line["type"] == "done" for line in lines):
        return lines, None
    return lines[:last + 1], begun[-1] if begun else None


def collect(results, lines, limit_s):
    for line in lines:
        kind = line["type"]
        if "case" not in line:
            continue
        case = results.setdefault(line["case"], Case())
        if kind == "case":
            case.bytes = line["bytes"]
        if "contestant" not in line or kind == "begin":
            continue
        outcome, op = case.outcome(line["contestant"]), line.get("op")
        if kind == "open":
            outcome.open_s, outcome.view_s = line["open_s"], line["view_s"]
        elif kind == "sample":
            outcome.seconds[op].append(line["seconds"])
        elif kind == "stats":
            outcome.stats[op].append({"repetition": line["repetition"], **line["stats"]})
        elif kind == "cut":
            outcome.problem[op] = f"> {limit_s:.0f} s"
        elif kind == "failed":
            outcome.problem[op] = "failed"
        elif kind == "wrong":
            outcome.problem[op] = "WRONG"
        elif kind == "memory":
            outcome.memory[op] = line["added_bytes"]
        elif kind == "requests":
            outcome.requests.setdefault(op, []).append(line)
        elif kind == "view":
            outcome.views.append(line)


def missing_ops(case, contestants):
    """A failed open or trial leaves no times behind: says why."""
    for contestant in contestants:
        outcome = case.outcomes.get(contestant.name)
        if outcome and "open" in outcome.problem:
            for op in ("write", "read"):
                outcome.problem.setdefault(op, outcome.problem["open"])


class Nodes:
    """Network namespaces that play nodes with slow links. A context manager; see netns-up.sh."""

    HUB = "tuttibench-hub"

    def __init__(self, count, rate, per_node=1):
        self.count, self.rate, self.per_node = count, rate, per_node
        self.here = Path(__file__).resolve().parent.parent

    def __enter__(self):
        if os.geteuid() != 0:
            raise BenchError("not root")
        subprocess.run([self.here / "netns-down.sh"], check=False, capture_output=True)
        made = subprocess.run([self.here / "netns-up.sh", str(self.count), self.rate], check=False,
                              capture_output=True, text=True)
        if made.returncode != 0:
            self.__exit__()
            raise BenchError(f"network namespaces are refused here ({made.stderr.strip().splitlines()[-1:]})")
        return self

    def __exit__(self, *_):
        subprocess.run([self.here / "netns-down.sh"], check=False, capture_output=True)

    def wrap(self, words):
        addresses = ",".join(f"10.78.0.{i + 1}:{self.per_node}" for i in range(self.count))
        return ["ip", "netns", "exec", self.HUB, *words, "--mca", "plm_rsh_agent", str(self.here / "nsh"),
                "--mca", "pml", "ob1", "--mca", "btl", "tcp,vader,self", "--mca", "btl_tcp_if_include", "10.78.0.0/24",
                "--mca", "oob_tcp_if_include", "10.78.0.0/24", "-H", addresses,
                # The host sees no more ranks than cores on each of its nodes and would spin, but they share the cores.
                "--mca", "mpi_yield_when_idle", "1"]
