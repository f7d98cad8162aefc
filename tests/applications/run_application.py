"""Runs a program once on the host's MPI-IO and once on Tutti, and compares the files they leave.

run_application.py PROGRAM KIND HOST_COMMAND... -- TUTTI_COMMAND...

{file} in a command stands for the file to write; the program may write others whose names begin
with it. PROGRAM is the word that the program's last line begins with. KIND says how files are
compared: hdf5 (h5diff and h5dump), netcdf4 (ncdump and h5diff), pnetcdf (ncmpidump and bytes), bytes.
The run on Tutti must say so for each file (TUTTI_REPORT=1), the other one must not.
"""

import os
import re
import subprocess
import sys
import tempfile


class Failure(Exception):
    pass


def outputs_of(*command):
    """What a command says on its two streams, apart: launchers mix them in the middle of lines."""
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[:1000]}{done.stderr[:1000]}")
    return done.stdout, done.stderr


def output_of(*command):
    return "".join(outputs_of(*command))


def run(program, command, folder):
    """The files that the program leaves in a folder of its own, and what it said."""
    os.mkdir(folder)
    path = os.path.join(folder, "data")
    said, reported = outputs_of(*(word.replace("{file}", path) for word in command))
    if said.splitlines().count(f"{program}: ok") != 1:
        raise Failure(f"the line '{program}: ok' is missing or repeated:\n{said}{reported}")
    return sorted(os.listdir(folder)), said + reported


def accesses(said, path):
    """How many collective and independent accesses Tutti made on a file, None where it made no report."""
    found = re.findall(rf"^tutti: {re.escape(path)}: rank 0 of \d+ made (\d+) collective and (\d+) independent",
                       said, re.MULTILINE)
    return sum(int(number) for row in found for number in row) if found else None


def same_text(host, tutti, *command):
    """Dumps without the lines that name the file."""
    texts = [output_of(*command, path) for path in (host, tutti)]
    bodies = [[line for line in text.splitlines() if os.path.dirname(path) not in line and not
               line.startswith("netcdf ")] for text, path in zip(texts, (host, tutti))]
    for ours, theirs in zip(bodies[1], bodies[0]):
        if ours != theirs:
            raise Failure(f"{command[0]} shows '{ours[:200]}', with the host '{theirs[:200]}'")
    if len(bodies[0]) != len(bodies[1]):
        raise Failure(f"{command[0]} shows {len(bodies[1])} lines, with the host {len(bodies[0])}")


def same_bytes(host, tutti):
    contents = []
    for path in (host, tutti):
        with open(path, "rb") as file:
            contents.append(file.read())
    if contents[0] != contents[1]:
        raise Failure(f"{tutti}: its {len(contents[1])} bytes differ from the host's {len(contents[0])}")


def compare(kind, host, tutti):
    if kind == "hdf5":
        same_text(host, tutti, "h5dump")
        said = output_of("h5diff", "-c", host, tutti)
        if said:
            raise Failure(f"h5diff: {said}")
    elif kind == "netcdf4":
        same_text(host, tutti, "ncdump")
    elif kind == "pnetcdf":
        same_text(host, tutti, "ncmpidump")
        same_bytes(host, tutti)
    elif kind == "bytes":
        same_bytes(host, tutti)
    else:
        raise Failure(f"nobody knows how to compare {kind}")


def check(program, kind, host_command, tutti_command, top):
    host_files, host_said = run(program, host_command, os.path.join(top, "host"))
    tutti_files, tutti_said = run(program, tutti_command, os.path.join(top, "tutti"))
    if "tutti: " in host_said:
        raise Failure(f"the run on the host says that Tutti served it:\n{host_said}")
    if host_files != tutti_files or not host_files:
        raise Failure(f"the host left the files {host_files}, Tutti {tutti_files}")
    for name in host_files:
        path = os.path.join(top, "tutti", name)
        if not accesses(tutti_said, path):
            raise Failure(f"Tutti reports no access to {name}: was it loaded?\n{tutti_said}")
        compare(kind, os.path.join(top, "host", name), path)


def main(program, kind, *commands):
    middle = commands.index("--")
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="tutti-applications-", dir=memory) as top:
        try:
            check(program, kind, commands[:middle], commands[middle + 1:], top)
        except Failure as failure:
            print(f"FAILED: {failure}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
