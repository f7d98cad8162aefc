"""Runs an MPI program that ends in an unusual way and checks what it says and leaves.

run_ending.py EXPECTED COMMAND...   {file} in COMMAND stands for the file to use

EXPECTED is one of
  fatal     the job fails, and says why; nothing runs behind the failing call
  complete  the job succeeds and says that its bytes are there
  killed    the job fails, and leaves no process, no file beside the one it wrote
  waiting   the job is not over, and says what it waits for; it is ended here
"""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 60  # after which a job hangs
ENDING_S = 10  # that launchers take to end the rest of a job


@contextlib.contextmanager
def started(words, **options):
    """A job of its own process group, of which nothing is left in the end."""
    job = subprocess.Popen(words, start_new_session=True, **options)
    try:
        yield job
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, signal.SIGKILL)
        job.wait()


def running(process):
    """Whether the process still does anything: a launcher may not have asked how it ended."""
    try:
        state = pathlib.Path("/proc", process, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def no_rank_left(said):
    """The ranks, which have said their processes, all end within ENDING_S."""
    processes = re.findall(r"process (\d+)", said)
    yield len(processes) > 1, "the ranks did not begin"
    until = time.monotonic() + ENDING_S
    while any(running(each) for each in processes) and time.monotonic() < until:
        time.sleep(0.1)
    left = [each for each in processes if running(each)]
    yield not left, f"processes are left, with their sockets: {left}"


def fatal(done, folder):
    yield done.returncode != 0, "the job must fail"
    yield "about to fail" in done.stdout, "the program did not come to its access"
    yield "went on after the error" not in done.stdout, "a rank went on after the error"
    said = [line for line in done.stderr.splitlines() if line.startswith("tutti: MPI_File_")]
    yield len(said) > 0, "nobody says which call failed"
    yield all(folder in line and "no space left" in line for line in said), "the reason is missing"


def complete(done, _):
    yield done.returncode == 0, f"exit code {done.returncode}"
    yield done.stdout.count("all bytes are in the file") == 1, "the last word is missing"


def killed(done, folder):
    yield done.returncode != 0, "the job must fail"
    yield from no_rank_left(done.stdout)
    yield os.listdir(folder) == ["written"], f"files are left: {os.listdir(folder)}"


def waiting(words, folder):
    """Ends the job with SIGTERM, which launchers pass on, once it has said what it waits for.

    Only the ranks must end: Open MPI's launcher now and then locks itself up when it is ended while ranks wait in
    MPI_Finalize.
    """
    sentence = "MPI_Finalize waits for accesses that are not over"
    said = pathlib.Path(folder, "said")
    with said.open("w", encoding="utf-8") as output, started(words, stdout=output, stderr=output) as job:
        until = time.monotonic() + PATIENCE_S
        while sentence not in said.read_text(encoding="utf-8") and time.monotonic() < until:
            time.sleep(0.2)
        over = job.poll() is not None
        job.terminate()
        yield from no_rank_left(said.read_text(encoding="utf-8"))
    yield not over, "the job was over"
    yield said.read_text(encoding="utf-8").count(sentence) == 1, "the job must say once what it waits for"


def finished(words, folder, checks):
    """What is wrong with a job that ends by itself."""
    with started(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
        try:
            stdout, stderr = job.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            yield False, f"the job was not over after {PATIENCE_S} s"
            return
    done = subprocess.CompletedProcess(words, job.returncode, stdout, stderr)
    print(done.stdout + done.stderr)
    yield from checks(done, folder)


def main(expected, *command):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    endings = {"fatal": fatal, "complete": complete, "killed": killed}
    with tempfile.TemporaryDirectory(prefix="tutti-endings-", dir=memory) as folder:
        words = [word.replace("{file}", os.path.join(folder, "written")) for word in command]
        found = waiting(words, folder) if expected == "waiting" else finished(words, folder, endings[expected])
        wrong = [why for fine, why in found if not fine]
    for why in wrong:
        print(f"FAILED: {why}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
