"""libtutti.so in front of stand-in MPIs, beside stand-in backends, and in front of other programs."""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

failures = []


def run(command, preload=None, **environment):
    variables = {key: value for key, value in os.environ.items()
                 if key not in ("LD_PRELOAD", "TUTTI_DISABLE")}
    if preload:
        variables["LD_PRELOAD"] = str(preload)
    variables.update(environment)
    return subprocess.run([str(word) for word in command], env=variables, text=True, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def expect(what, good, done):
    if not good:
        failures.append(what)
        print(f"FAILED: {what}\n  exit {done.returncode}\n  out: {done.stdout}\n  err: {done.stderr}")


def check_forwarding(callers, beside, lonely):
    """`beside` has the backends next to it, `lonely` has none."""
    for host in ("mpich", "openmpi"):
        caller = callers / f"preload_caller_{host}"
        for way in ("first", "threads"):
            done = run([caller, way], beside)
            expect(f"{host} {way}: the backend serves",
                   done.stdout == "backend arguments arrived\n" and not done.stderr, done)
            done = run([caller, way], beside, TUTTI_DISABLE="1")
            expect(f"{host} {way}: TUTTI_DISABLE=1 leaves it to the host",
                   done.stdout == "host arguments arrived\n" and not done.stderr, done)
            done = run([caller, way], lonely)
            expect(f"{host} {way}: no backend, one line, the host serves",
                   done.stdout == "host arguments arrived\n"
                   and done.stderr.count("\n") == 1 and f"libtutti_{host}.so" in done.stderr, done)
        done = run([caller, "first"], beside, TUTTI_DISABLE="0")
        expect(f"{host}: TUTTI_DISABLE=0 is not disabled", done.stdout.startswith("backend"), done)
        done = run([caller, "profiling"], beside)
        expect(f"{host}: the PMPI_ name leads to the backend", done.stdout == "backend\n", done)
        done = run([caller, "missing"], beside)
        expect(f"{host}: a call that the backend lacks ends with its name",
               done.returncode == -signal.SIGABRT and "MPI_File_seek" in done.stderr
               and f"libtutti_{host}.so" in done.stderr, done)
        done = run([caller, "missing"], beside, TUTTI_DISABLE="1")
        expect(f"{host}: disabled, that call is the host's", done.stdout == "host\n", done)
    done = run([callers / "preload_caller_unknown", "first"], beside)
    expect("an MPI without a backend is named and serves itself",
           done.stdout == "host arguments arrived\n" and done.stderr.count("\n") == 1
           and "libmpi.so.12" in done.stderr, done)


def check_plugin(callers, beside, libraries):
    """An MPI outside the global search order, as Python loads it."""
    caller = callers / "preload_caller_plugin"
    host = str(libraries / "preload_host_mpich" / "libmpich.so.12")
    done = run([caller, "first"], beside, STAND_IN_HOST=host)
    expect("plugin: the backend serves", done.stdout == "backend arguments arrived\n", done)
    done = run([caller, "first"], beside, STAND_IN_HOST=host, TUTTI_DISABLE="1")
    expect("plugin: disabled, the host serves", done.stdout == "host arguments arrived\n", done)
    done = run([caller, "first"], beside, STAND_IN_HOST="libm.so.6")
    expect("a call without any MPI ends with a message",
           done.returncode == -signal.SIGABRT and "MPI_File_open" in done.stderr, done)


def check_bystanders(beside):
    """Programs without MPI run as if the preload were not there."""
    maps = "import sys; sys.stdout.write(open('/proc/self/maps').read())"
    for command in (["/bin/true"], ["/bin/false"], ["bash", "-c", "echo $((6 * 7)); exit 3"],
                    [sys.executable, "-c", "print(sum(range(10)))"]):
        plain, preloaded = run(command), run(command, beside)
        expect(f"{command[0]} is unchanged",
               (plain.returncode, plain.stdout, plain.stderr)
               == (preloaded.returncode, preloaded.stdout, preloaded.stderr), preloaded)
    done = run([sys.executable, "-c", maps], beside)
    expect("the preload is mapped in a bystander", "/libtutti.so" in done.stdout, done)
    expect("no backend is mapped in a bystander", "libtutti_" not in done.stdout, done)


def main():
    parser = argparse.ArgumentParser()
    for name in ("--preload", "--callers", "--libraries"):
        parser.add_argument(name, type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        beside, lonely = Path(scratch, "beside"), Path(scratch, "lonely")
        for folder in (beside, lonely):
            folder.mkdir()
            shutil.copy(options.preload, folder / "libtutti.so")
        for host in ("mpich", "openmpi"):
            name = f"libtutti_{host}.so"
            shutil.copy(options.libraries / f"preload_backend_{host}" / name, beside / name)
        check_forwarding(options.callers, beside / "libtutti.so", lonely / "libtutti.so")
        check_plugin(options.callers, beside / "libtutti.so", options.libraries)
        check_bystanders(beside / "libtutti.so")
        check_bystanders(options.preload)
    print(f"{len(failures)} failure(s)")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
