"""Programs that one contestant runs alone: launches with the preload and without it take turns."""

import json
import os
import subprocess

from .launch import BenchError, end_job

TUTTI = "Tutti"


class TooSlow(BenchError):
    """A launch was cut off."""


def contestants(launcher):
    return [TUTTI] + [host.upper() for host in launcher.hosts()]


def command_of(launcher, program, ranks, contestant):
    host = launcher.hosts()[0] if contestant == TUTTI else contestant.lower()
    command = launcher.command(program, ranks, host)
    if contestant != TUTTI:
        at = command.index("-x" if launcher.mpi == "openmpi" else "-genv")
        command[at:at + (2 if launcher.mpi == "openmpi" else 3)] = []
    return command


def measured(launcher, program, ranks, contestant, words, limit_s):
    """What the program prints, one JSON value a line. Raises TooSlow after `limit_s` seconds."""
    command = command_of(launcher, program, ranks, contestant) + [str(word) for word in words]
    environment = {key: value for key, value in os.environ.items()
                   if key != "LD_PRELOAD" and not key.startswith("TUTTI_")}
    with launcher.log.open("a", encoding="utf-8") as log:
        log.write(f"$ {' '.join(command)}\n")
    job = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        out, errors = job.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired as late:
        raise TooSlow(f"{program}: {contestant} needs more than {limit_s:.0f} s") from late
    finally:
        end_job(job)
    if job.returncode != 0:
        said = " ".join(errors.replace("-", " ").split())
        raise BenchError(f"{program}: {contestant} ended with {job.returncode}: {said[-300:]}")
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


def median(values):
    return sorted(values)[len(values) // 2]
