"""What a section of the benchmark gets: sizes, contestants, the launcher, and a place to print."""

from dataclasses import dataclass, field

from .launch import Contestant, Launcher

BLOCK = Contestant("Block I/O", "block")
AUTO = Contestant("auto", "tutti", hints=(("tutti_strategy", "auto"),))
TWO_PHASE = Contestant("two-phase", "tutti", hints=(("tutti_strategy", "two-phase"),))
LIST = Contestant("list", "tutti", hints=(("tutti_strategy", "list"),))
SIEVE = Contestant("sieve", "tutti", hints=(("tutti_strategy", "sieve"),))
HAND_WRITTEN = Contestant("Alltoallv+pwrite", "transpose")
ROMIO = Contestant("ROMIO", "host")
OMPIO = Contestant("OMPIO", "host")
OPS = ("write", "read")


def multi_phase(radix):
    return Contestant(f"multi-phase {radix}", "tutti",
                      hints=(("tutti_strategy", "multi-phase"), ("tutti_radix", str(radix))))


def radices(ranks):
    return sorted({2, min(4, ranks), ranks})


def tuned_romio(ranks):
    return Contestant("ROMIO tuned", "host", hints=(
        ("cb_config_list", "*:*"), ("cb_nodes", str(ranks)), ("romio_cb_write", "enable"), ("romio_cb_read", "enable")))


def at_level(contestant, level):
    return Contestant(f"{contestant.name} {level}", contestant.kind, level, contestant.hints)


STARTED, SPLIT = 4, 5  # levels: a nonblocking call with its wait, a split collective


def with_memory(contestant, memory):
    """0 contiguous, 1 one gap, 2 gaps."""
    return Contestant(f"{contestant.name} {memory}", contestant.kind, contestant.level, contestant.hints, memory)


@dataclass
class Bench:
    launcher: Launcher
    quick: bool
    size: int  # bytes of the matrix
    repetitions: int
    say: callable
    storage: str = "striped:"  # prefix of the file on I/O nodes
    ceph: bool = False  # a Ceph cluster of our own holds the file on I/O nodes
    stripe: int = 64 << 10  # bytes
    patterns: list = None  # the access patterns to measure there, or all
    large_segments: bool = False  # of those, segments of 64 KiB and more only
    data: dict = field(default_factory=dict)  # section -> what it found, for the bars, the plot and JSON

    def hosts(self, ranks, tuned=True):
        """The hosts' MPI-IOs by the launch they need: an Open MPI process has one of its two."""
        found = {"romio": [ROMIO] + ([tuned_romio(ranks)] if tuned else [])}
        if "ompio" in self.launcher.hosts():
            found["ompio"] = [OMPIO]
        return found

    def ranks(self, *counts):
        """MPICH spins while it waits: not more than 4 ranks there."""
        return [count for count in counts if self.launcher.mpi == "openmpi" or count <= 4]

    def beside_hosts(self, ranks, contestants, cases, size=None, budget_s=None, nodes=None):
        """One launch per host MPI-IO, `contestants` in both. Returns {host: {case: Case}}."""
        options = ["--bytes", str(size or self.size), "--repetitions", str(self.repetitions),
                   "--budget", str(budget_s or (2 if self.quick else 5))]
        return {host: self.launcher.run("access", ranks, host, contestants + theirs, cases, options, nodes)
                for host, theirs in self.hosts(ranks).items()}
